// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace launchbox {

namespace {

/// One run's results on one workload.
struct side {
    const std::vector<stored_result>* results = nullptr;
    const ranking* workload = nullptr;
    std::map<std::string, std::size_t> places = {};              // of results, by candidate
    std::map<std::size_t, const ranked_candidate*> ranked = {};  // by result

    [[nodiscard]] const stored_result& result(std::size_t i) const { return (*results)[i]; }
    [[nodiscard]] const ranked_candidate* time_of(std::size_t i) const
    {
        const auto found = ranked.find(i);
        return found == ranked.end() ? nullptr : found->second;
    }
};

side side_of(const std::vector<stored_result>& results, const ranking& workload)
{
    side made{.results = &results, .workload = &workload};
    for (const ranked_candidate& candidate : workload.candidates) {
        made.places.emplace(identity_of(results[candidate.result].parameters), candidate.result);
        made.ranked.emplace(candidate.result, &candidate);
    }
    for (const failure_count& kind : workload.failures)
        for (const std::size_t i : kind.results) made.places.emplace(identity_of(results[i].parameters), i);
    return made;
}

void add_differences(const run_info& a, const run_info& b, run_comparison& into)
{
    const auto add = [&](const char* what, const std::string& one, const std::string& other) {
        if (one != other) into.differences.push_back({what, one, other});
    };
    const auto number = [](std::int64_t value) { return value == 0 ? std::string() : std::to_string(value); };
    const auto both = [](const std::string& one, const std::string& other) { return !one.empty() && !other.empty(); };
    const environment_info &here = a.environment, &there = b.environment;
    add("name", a.name, b.name);
    add("GPU", here.gpu, there.gpu);
    add("processor", here.processor, there.processor);
    add("architecture", here.architecture, there.architecture);
    add("SMs", number(here.sms), number(there.sms));
    add("memory in bytes", number(here.memory_bytes), number(there.memory_bytes));
    add("driver", here.driver, there.driver);
    add("toolkit", here.toolkit, there.toolkit);
    add("host", here.host, there.host);
    add("launchbox", a.version, b.version);
    add("task", a.task_hash, b.task_hash);
    add("source", a.source_hash, b.source_hash);
    add("spec", a.spec_hash, b.spec_hash);
    add("baseline", a.baseline ? parameter_text(*a.baseline) : "", b.baseline ? parameter_text(*b.baseline) : "");
    const auto same = [&](const std::string& one, const std::string& other) {
        return !both(one, other) || one == other;
    };
    into.same_task = same(a.name, b.name) && same(a.task_hash, b.task_hash);
    into.same_machine = here.gpu == there.gpu && here.processor == there.processor;
}

template <class Number>
std::optional<Number> difference(const std::optional<Number>& a, const std::optional<Number>& b)
{
    return a && b ? std::optional(*b - *a) : std::nullopt;
}

std::optional<std::int64_t> spills(const kernel_info& kernel)
{
    std::int64_t sum = 0;
    if (!kernel.figures.spill_store_bytes || !kernel.figures.spill_load_bytes ||
        __builtin_add_overflow(*kernel.figures.spill_store_bytes, *kernel.figures.spill_load_bytes, &sum))
        return std::nullopt;
    return sum;
}

compared_candidate compare_candidate(const side& a, std::size_t at_a, const side& b, std::size_t at_b)
{
    compared_candidate made{.a = at_a, .b = at_b};
    const ranked_candidate *in_a = a.time_of(at_a), *in_b = b.time_of(at_b);
    if (in_a != nullptr && in_b != nullptr) made.time = move_between(in_a->time, in_b->time);
    const stored_result &result_a = a.result(at_a), &result_b = b.result(at_b);
    made.shared = result_a.same_as && result_b.same_as;
    if (!result_a.kernel || !result_b.kernel) return made;
    made.registers = difference(result_a.kernel->figures.registers, result_b.kernel->figures.registers);
    made.spill_bytes = difference(spills(*result_a.kernel), spills(*result_b.kernel));
    return made;
}

const ranked_candidate* winner_of(const side& run)
{
    return run.workload->decided ? &run.workload->candidates[run.workload->decided->winner] : nullptr;
}

const ranked_candidate* fastest_of(const side& run)
{
    for (const ranked_candidate& candidate : run.workload->candidates)
        if (candidate.may_win) return &candidate;
    return nullptr;
}

// The winner of `home`, and its performance in `elsewhere`.
std::optional<compared_winner> compare_winner(const side& home, const side& elsewhere, bool home_is_a)
{
    const ranked_candidate* winner = winner_of(home);
    if (winner == nullptr) return std::nullopt;
    compared_winner made{.parameters = home.result(winner->result).parameters};
    (home_is_a ? made.a_ns : made.b_ns) = winner->time.median;
    const auto there = elsewhere.places.find(identity_of(made.parameters));
    if (there == elsewhere.places.end()) return made;
    made.elsewhere = elsewhere.result(there->second).measured.status;
    const ranked_candidate *same = elsewhere.time_of(there->second), *fastest = fastest_of(elsewhere);
    if (same == nullptr) return made;
    (home_is_a ? made.b_ns : made.a_ns) = same->time.median;
    if (fastest != nullptr) made.over_best = same == fastest ? gain{} : gain_of(same->time, fastest->time);
    return made;
}

void count_moves(compared_workload& into)
{
    std::vector<double> ratios;
    for (const compared_candidate& candidate : into.candidates) {
        if (!candidate.time) continue;
        if (candidate.shared) {
            ++into.shared;
            continue;
        }
        std::size_t* const counts[] = {&into.equal, &into.faster, &into.slower, &into.unclear};
        ++*counts[static_cast<std::size_t>(candidate.time->moved)];
        if (candidate.time->chance <= max_chance) into.expected_by_chance += candidate.time->chance;
        ratios.push_back(candidate.time->ratio.times);
    }
    if (ratios.empty()) return;
    std::sort(ratios.begin(), ratios.end());
    into.median_ratio = (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]) / 2;
}

void sort_by_size(compared_workload& into, bool same_machine)
{
    // On another GPU all times change, so a candidate's change is compared with the median change.
    const double middle = same_machine ? 0 : std::log(into.median_ratio.value_or(1));
    const auto size = [&](const compared_candidate& candidate) {
        const double ratio = candidate.time ? candidate.time->ratio.times : 1;
        return candidate.time && ratio > 0 && std::isfinite(ratio) ? std::abs(std::log(ratio) - middle) : -1.0;
    };
    // Candidates with too few samples come last.
    const auto is_known = [](const compared_candidate& candidate) {
        return candidate.time && candidate.time->moved != move_kind::unclear;
    };
    std::stable_sort(into.candidates.begin(), into.candidates.end(), [&](const auto& one, const auto& other) {
        return std::pair(is_known(one), size(one)) > std::pair(is_known(other), size(other));
    });
}

compared_workload compare_workload(const side& a, const side& b, bool same_machine)
{
    compared_workload made{.workload = a.workload->workload,
                           .work_a = a.workload->work,
                           .work_b = b.workload->work,
                           .winner_a = compare_winner(a, b, true),
                           .winner_b = compare_winner(b, a, false),
                           .noise_a = a.workload->noise,
                           .noise_b = b.workload->noise};
    if (const ranked_candidate *from = winner_of(a), *to = winner_of(b); from != nullptr && to != nullptr)
        made.best = move_between(from->time, to->time);
    for (const auto& [key, place] : a.places) {
        const auto there = b.places.find(key);
        if (there == b.places.end())
            ++made.only_a;
        else
            made.candidates.push_back(compare_candidate(a, place, b, there->second));
    }
    made.only_b = b.places.size() - made.candidates.size();
    // In the order of A, whatever the names.
    std::sort(made.candidates.begin(), made.candidates.end(),
              [](const auto& one, const auto& other) { return one.a < other.a; });
    count_moves(made);
    sort_by_size(made, same_machine);
    return made;
}

}  // namespace

std::string_view name_of(move_kind moved)
{
    constexpr std::string_view names[] = {"equal", "faster", "slower", "unclear"};
    return names[static_cast<std::size_t>(moved)];
}

time_move move_between(const sample_summary& a, const sample_summary& b)
{
    time_move made{.ratio = gain_of(b, a), .chance = chance_of_differing(a.count, b.count)};
    const double min_ratio = 1 + min_move;
    const bool large = made.ratio.times > min_ratio || made.ratio.times < 1 / min_ratio;
    if (!large) return made;
    if (made.chance > max_chance)
        made.moved = move_kind::unclear;
    else if (made.ratio.low > 1)
        made.moved = move_kind::slower;
    else if (made.ratio.high < 1)
        made.moved = move_kind::faster;
    return made;
}

run_comparison compare_runs(const recorded_run& a, const std::vector<ranking>& a_rankings, const recorded_run& b,
                            const std::vector<ranking>& b_rankings)
{
    run_comparison made;
    add_differences(a.info, b.info, made);
    std::map<std::string, const ranking*> others;
    for (const ranking& workload_ranking : b_rankings)
        others.emplace(identity_of(workload_ranking.workload), &workload_ranking);
    for (const ranking& workload_ranking : a_rankings) {
        const auto found = others.find(identity_of(workload_ranking.workload));
        if (found == others.end()) {
            made.only_a.push_back(workload_ranking.workload);
            continue;
        }
        made.workloads.push_back(compare_workload(side_of(a.results, workload_ranking),
                                                  side_of(b.results, *found->second), made.same_machine));
        others.erase(found);
    }
    for (const ranking& workload_ranking : b_rankings)
        if (others.contains(identity_of(workload_ranking.workload))) made.only_b.push_back(workload_ranking.workload);
    return made;
}

}  // namespace launchbox
