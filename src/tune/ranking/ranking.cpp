// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

std::vector<ranking> by_workload(const std::vector<stored_result>& results,
                                 std::vector<std::vector<std::size_t>>& members);
void rank_one(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
              const race_result_info* race, const std::optional<assignment>& baseline, ranking& into);

}  // namespace

gain gain_of(const sample_summary& slower, const sample_summary& faster)
{
    // A time of 0 says that the clock is too coarse: nothing follows from it.
    if (faster.low <= 0) return {};
    return {slower.median / faster.median, slower.low / faster.high, slower.high / faster.low};
}

std::vector<ranking> rank(const std::vector<stored_result>& results, const std::vector<race_result_info>& races,
                          const std::optional<assignment>& baseline)
{
    std::vector<std::vector<std::size_t>> members;
    std::vector<ranking> rankings = by_workload(results, members);
    for (std::size_t i = 0; i < rankings.size(); ++i) {
        const race_result_info* race = nullptr;
        for (const race_result_info& info : races)
            if (info.workload == rankings[i].workload && !info.entries.empty()) race = &info;
        rank_one(results, members[i], race, baseline, rankings[i]);
    }
    return rankings;
}

namespace {

std::vector<ranking> by_workload(const std::vector<stored_result>& results,
                                 std::vector<std::vector<std::size_t>>& members)
{
    std::vector<ranking> rankings;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string key = identity_of(results[i].workload);
        const auto [at, fresh] = places.emplace(key, rankings.size());
        if (fresh) {
            rankings.push_back({.workload = results[i].workload,
                                .weight = results[i].weight,
                                .work = results[i].work,
                                .candidates = {},
                                .baseline = {},
                                .decided = {},
                                .failures = {}});
            members.emplace_back();
        }
        members[at->second].push_back(i);
    }
    return rankings;
}

void add_candidates(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
                    const std::optional<assignment>& baseline, ranking& into)
{
    bool some_verified = false;
    for (std::size_t i : members) {
        const measurement& measured = results[i].measured;
        if (measured.what != outcome::measured) continue;
        ranked_candidate candidate{.result = i, .time = summarise(measured.samples_ns)};
        candidate.settled = candidate.time;
        candidate.is_baseline = baseline && results[i].parameters == *baseline;
        some_verified |= measured.verified;
        into.shared += results[i].same_as ? 1 : 0;
        into.candidates.push_back(candidate);
    }
    std::stable_sort(
        into.candidates.begin(), into.candidates.end(),
        [](const ranked_candidate& one, const ranked_candidate& other) { return one.time.median < other.time.median; });
    for (ranked_candidate& candidate : into.candidates) {
        const measurement& measured = results[candidate.result].measured;
        // The baseline's outputs are what others are compared with.
        candidate.may_win = !measured.stopped_early && (measured.verified || !some_verified || candidate.is_baseline);
    }
}

// The largest difference that the samples of both leave open.
double difference(const sample_summary& one, const sample_summary& other)
{
    if (one.low <= 0 || other.low <= 0) return 0;
    return std::max(one.high / other.low, other.high / one.low) - 1;
}

void compare_candidates(const std::vector<stored_result>& results, ranking& into)
{
    std::map<std::string, std::size_t> places;
    const ranked_candidate* best = nullptr;
    for (std::size_t i = 0; i < into.candidates.size(); ++i) {
        const ranked_candidate& candidate = into.candidates[i];
        places.emplace(identity_of(results[candidate.result].parameters), i);
        if (candidate.is_baseline) into.baseline = i;
        if (best == nullptr && candidate.may_win) best = &candidate;
    }
    for (ranked_candidate& candidate : into.candidates) {
        if (into.baseline) candidate.over_baseline = gain_of(into.candidates[*into.baseline].time, candidate.time);
        candidate.equals_best =
            best != nullptr && &candidate != best && candidate.may_win && !differs(candidate.time, best->time);
        if (candidate.equals_best) candidate.equal_within = difference(best->time, candidate.time);
        const std::optional<assignment>& original = results[candidate.result].same_as;
        if (!original) continue;
        if (const auto found = places.find(identity_of(*original)); found != places.end())
            candidate.same_as = found->second;
    }
}

std::optional<std::size_t> place_of(const std::vector<stored_result>& results, const ranking& among,
                                    const assignment& parameters)
{
    for (std::size_t i = 0; i < among.candidates.size(); ++i)
        if (results[among.candidates[i].result].parameters == parameters) return i;
    return std::nullopt;
}

void settle_by_race(const std::vector<stored_result>& results, const race_result_info& race, ranking& among)
{
    std::vector<std::pair<std::size_t, sample_summary>> raced;
    double logs = 0;
    for (const race_entry& entry : race.entries) {
        const auto place = place_of(results, among, entry.parameters);
        if (!place) continue;
        ranked_candidate& candidate = among.candidates[*place];
        candidate.raced = true;
        const sample_summary rounds = summarise(entry.samples_ns);
        if (entry.samples_ns.empty() || rounds.low <= 0 || candidate.time.median <= 0) continue;
        raced.emplace_back(*place, rounds);
        logs += std::log(candidate.time.median / rounds.median);
    }
    // All are brought to the level of their samples by one factor, which keeps their ratios.
    const double level = raced.empty() ? 1 : std::exp(logs / static_cast<double>(raced.size()));
    for (const auto& [place, rounds] : raced) {
        sample_summary& settled = among.candidates[place].settled;
        settled = rounds;
        settled.median *= level;
        settled.low *= level;
        settled.high *= level;
    }
    for (ranked_candidate& candidate : among.candidates)
        if (candidate.same_as) candidate.settled = among.candidates[*candidate.same_as].settled;
}

std::optional<verdict> decided_by_race(const std::vector<stored_result>& results, const race_result_info& race,
                                       const ranking& among)
{
    const std::optional<std::size_t> winner = place_of(results, among, race.entries.front().parameters);
    if (!winner) return std::nullopt;
    verdict decided{.winner = *winner, .raced = true, .equal = race.verdict == "equal"};
    if (decided.equal) decided.equal_within = race.equal_within;
    if (!among.baseline || race.entries.front().samples_ns.empty()) return decided;
    const assignment& baseline = results[among.candidates[*among.baseline].result].parameters;
    for (const race_entry& entry : race.entries)
        if (entry.parameters == baseline && !entry.samples_ns.empty())
            decided.over_baseline = gain_of(summarise(entry.samples_ns), summarise(race.entries.front().samples_ns));
    return decided;
}

std::optional<verdict> decided_by_samples(const ranking& among)
{
    const auto& candidates = among.candidates;
    const auto best = std::find_if(candidates.begin(), candidates.end(),
                                   [](const ranked_candidate& candidate) { return candidate.may_win; });
    if (best == candidates.end()) return std::nullopt;
    verdict decided{.winner = static_cast<std::size_t>(best - candidates.begin())};
    // Equal to the baseline: then there is no reason to leave it.
    if (among.baseline && candidates[*among.baseline].equals_best) {
        decided.winner = *among.baseline;
        decided.equal = true;
        decided.equal_within = candidates[*among.baseline].equal_within;
        return decided;
    }
    for (const ranked_candidate& candidate : candidates) {
        if (!candidate.equals_best || candidate.same_as == decided.winner) continue;
        decided.equal = true;
        decided.equal_within = std::max(decided.equal_within, candidate.equal_within);
    }
    return decided;
}

void rank_one(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
              const race_result_info* race, const std::optional<assignment>& baseline, ranking& into)
{
    add_candidates(results, members, baseline, into);
    compare_candidates(results, into);
    if (race != nullptr) {
        settle_by_race(results, *race, into);
        into.decided = decided_by_race(results, *race, into);
    }
    if (!into.decided) into.decided = decided_by_samples(into);

    std::map<outcome, std::vector<std::size_t>> failures;
    for (std::size_t i : members)
        if (results[i].measured.what != outcome::measured) failures[results[i].measured.what].push_back(i);
    for (auto& [what, which] : failures) into.failures.push_back({what, std::move(which)});
    std::stable_sort(
        into.failures.begin(), into.failures.end(),
        [](const failure_count& one, const failure_count& other) { return one.results.size() > other.results.size(); });
}

}  // namespace

}  // namespace launchbox
