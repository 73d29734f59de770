// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/tuned_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

namespace {

const char* measure_again = "run launchbox tune again; launchbox results FILE --failures shows what went wrong";

void refuse_unmeasured(const recorded_run& run, const std::vector<ranking>& rankings)
{
    if (run.results.empty()) throw error("'" + run.info.name + "': nothing was measured", measure_again);
    for (const ranking& workload_ranking : rankings)
        if (!workload_ranking.decided && !workload_ranking.noise)
            throw error(
                "'" + run.info.name + "' on " + parameter_text(workload_ranking.workload) + ": all candidates failed",
                measure_again);
}

bool is_verified(const recorded_run& run, const assignment& candidate)
{
    // The baseline is the reference itself: it counts as verified if any other candidate is.
    if (run.info.baseline && candidate == *run.info.baseline)
        return std::any_of(run.results.begin(), run.results.end(),
                           [](const stored_result& result) { return result.measured.verified; });
    return std::all_of(run.results.begin(), run.results.end(), [&](const stored_result& result) {
        return result.parameters != candidate || result.measured.verified;
    });
}

void add_rates(const recorded_run& run, const std::vector<ranking>& rankings, row_choice& chosen)
{
    for (const ranking& on : rankings)
        for (const ranked_candidate& candidate : on.candidates) {
            if (run.results[candidate.result].parameters != chosen.parameters) continue;
            const work_amounts rates = per_second(on.work, candidate.time.median);
            if (rates.any()) chosen.rates.push_back({on.workload, rates});
        }
}

void add_gains(const overall_candidate& of, const std::vector<ranking>& rankings, row_choice& chosen)
{
    chosen.over = of.score;
    chosen.worst = of.worst;
    for (const workload_speed& speed : of.speeds)
        chosen.workloads.push_back({rankings[speed.ranking].workload, rankings[speed.ranking].weight, speed.speed});
}

// A row is never changed on inconclusive samples.
row_choice undecided(const recorded_run& run, const sample_noise& noise, const std::optional<assignment>& replaced)
{
    if (!replaced)
        throw error("'" + run.info.name + "': no winner: " + noise_text(noise), "measure again on an idle machine");
    return {.parameters = *replaced, .over = gain{}};
}

row_choice decided_alone(const recorded_run& run, const ranking& only, const std::optional<assignment>& replaced)
{
    if (only.noise) return undecided(run, *only.noise, replaced);
    const ranked_candidate& winner = only.candidates[only.decided->winner];
    row_choice chosen{.parameters = run.results[winner.result].parameters};
    if (!only.baseline) return chosen;
    chosen.over = only.decided->over_baseline ? only.decided->over_baseline : winner.over_baseline;
    if (winner.is_baseline) chosen.over = gain{};
    if (chosen.over) chosen.workloads.push_back({only.workload, only.weight, *chosen.over});
    return chosen;
}

row_choice decided_overall(const recorded_run& run, const std::vector<ranking>& rankings,
                           const std::optional<assignment>& replaced)
{
    const overall_ranking overall = rank_overall(run.results, rankings);
    if (overall.candidates.empty())
        throw error("'" + run.info.name + "': no candidate was measured on all workloads",
                    "tune again until the workloads have candidates in common, or choose one with --workload");
    if (overall.noise) return undecided(run, *overall.noise, replaced);
    // If the baseline stays, the gain reported is the small one of the best candidate.
    const overall_candidate& winner = overall.candidates[overall.winner.value()];
    const overall_candidate& best = winner.is_baseline ? overall.candidates.front() : winner;
    row_choice chosen{.parameters = best.parameters};
    if (replaced && overall.over_baseline) add_gains(best, rankings, chosen);
    return chosen;
}

}  // namespace

bool is_beyond_noise(const gain& over)
{
    return over.times >= 1.01 && over.low > 1;
}

std::string throughput_text(const row_choice& choice)
{
    work_amounts least, largest;
    for (const workload_rates& on : choice.rates)
        for (const work_kind& kind : work_kinds) {
            const std::optional<double>& rate = on.per_second.*kind.amount;
            if (!rate) continue;
            least.*kind.amount = std::min(*rate, (least.*kind.amount).value_or(*rate));
            largest.*kind.amount = std::max(*rate, (largest.*kind.amount).value_or(*rate));
        }
    std::string text = rates_text(least, largest);
    if (choice.rates.size() > 1) text += fmt::format(" on {} workloads", choice.rates.size());
    return text;
}

row_choice choose_row(const recorded_run& run, const std::optional<assignment>& replaced)
{
    const std::vector<ranking> rankings = rank(run.results, run.races, replaced, objective_of(run.info));
    refuse_unmeasured(run, rankings);
    row_choice chosen = rankings.size() == 1 ? decided_alone(run, rankings.front(), replaced)
                                             : decided_overall(run, rankings, replaced);
    if (chosen.over && !is_beyond_noise(*chosen.over)) {
        chosen.parameters = *replaced;
        chosen.kept = true;
    }
    chosen.verified = is_verified(run, chosen.parameters);
    add_rates(run, rankings, chosen);
    return chosen;
}

row_choice choice_of(const recorded_run& run, const assignment& candidate, const std::optional<assignment>& baseline)
{
    const std::vector<ranking> rankings = rank(run.results, run.races, baseline);
    row_choice chosen{.parameters = candidate, .verified = is_verified(run, candidate)};
    if (baseline && candidate == *baseline) {
        chosen.over = gain{};
    } else if (rankings.size() == 1) {
        for (const ranked_candidate& one : rankings.front().candidates)
            if (run.results[one.result].parameters == candidate) chosen.over = one.over_baseline;
        if (chosen.over) chosen.workloads.push_back({rankings.front().workload, rankings.front().weight, *chosen.over});
    } else if (const overall_ranking overall = rank_overall(run.results, rankings); overall.over_baseline) {
        for (const overall_candidate& one : overall.candidates)
            if (one.parameters == candidate) add_gains(one, rankings, chosen);
    }
    add_rates(run, rankings, chosen);
    return chosen;
}

recorded_run part_of(const recorded_run& run, const std::function<bool(const assignment& workload)>& wanted)
{
    recorded_run part{run.number, run.info, {}, {}, run.devices};
    for (const stored_result& result : run.results)
        if (wanted(result.workload)) part.results.push_back(result);
    for (const race_result_info& race : run.races)
        if (wanted(race.workload)) part.races.push_back(race);
    return part;
}

bool is_measured(const recorded_run& run, const assignment& candidate)
{
    bool some = false;
    for (const stored_result& result : run.results) {
        if (result.parameters != candidate) continue;
        if (result.measured.status != outcome::measured) return false;
        some = true;
    }
    return some;
}

}  // namespace launchbox
