// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/overall_score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tune/ranking/tie_rule.hpp"

namespace launchbox {

namespace {

// What the others of a workload are compared with: the baseline, or else the fastest that may win.
const ranked_candidate* reference_of(const ranking& workload, bool over_baseline)
{
    if (over_baseline) return &workload.candidates[*workload.baseline];
    for (const ranked_candidate& candidate : workload.candidates)
        if (candidate.may_win) return &candidate;
    return nullptr;
}

gain weighted_mean(const std::vector<workload_speed>& speeds, const std::vector<ranking>& rankings)
{
    double weights = 0, middle = 0, low = 0, high = 0, largest = 0;
    for (const workload_speed& speed : speeds) largest = std::max(largest, rankings[speed.ranking].weight);
    for (const workload_speed& speed : speeds) {
        const double weight = rankings[speed.ranking].weight / largest;  // so that no sum overflows or vanishes
        weights += weight;
        middle += weight * std::log(speed.speed.times);
        low += weight * std::log(speed.speed.low);
        high += weight * std::log(speed.speed.high);
    }
    return {std::exp(middle / weights), std::exp(low / weights), std::exp(high / weights)};
}

// The mean of the speed-ups, without the uncertainty of the reference's own samples.
sample_summary relative_time(const overall_candidate& candidate, const std::vector<ranking>& rankings,
                             const std::vector<double>& references)
{
    double weights = 0, middle = 0, low = 0, high = 0, largest = 0;
    std::size_t fewest = 0;
    for (const workload_speed& at : candidate.speeds) largest = std::max(largest, rankings[at.ranking].weight);
    for (const workload_speed& at : candidate.speeds) {
        const sample_summary& time = rankings[at.ranking].candidates[at.candidate].settled;
        const double weight = rankings[at.ranking].weight / largest, reference = references[at.ranking];
        // A time of 0 means that the clock is too coarse: nothing can be concluded.
        if (time.low <= 0 || reference <= 0) return {};
        weights += weight;
        middle += weight * std::log(time.median / reference);
        low += weight * std::log(time.low / reference);
        high += weight * std::log(time.high / reference);
        fewest = fewest == 0 ? time.count : std::min(fewest, time.count);
    }
    return {fewest, std::exp(middle / weights), std::exp(low / weights), std::exp(high / weights)};
}

// Its resources are its largest on any workload.
tied_candidate tied_on_all(const std::vector<stored_result>& results, const std::vector<ranking>& rankings,
                           const overall_candidate& candidate)
{
    std::optional<tied_candidate> all;
    const auto most = [](std::optional<int>& known, std::optional<int> more) {
        known = known && more ? std::optional(std::max(*known, *more)) : std::nullopt;
    };
    for (const workload_speed& at : candidate.speeds) {
        const ranked_candidate& here = rankings[at.ranking].candidates[at.candidate];
        const tied_candidate one = tied(results[here.result], candidate.relative, candidate.is_baseline);
        if (all) {
            most(all->registers, one.registers);
            most(all->threads, one.threads);
        } else {
            all = one;
        }
    }
    return all.value();
}

// Chooses the candidate to use on all workloads.
void decide(const std::vector<stored_result>& results, const std::vector<ranking>& rankings, overall_ranking& overall)
{
    const std::vector<overall_candidate>& candidates = overall.candidates;
    if (candidates.empty()) return;
    std::vector<sample_summary> others;
    for (std::size_t i = 1; i < candidates.size(); ++i)
        if (!candidates[i].same_as && candidates[i].relative.count > 0) others.push_back(candidates[i].relative);
    overall.noise = noise_of(candidates.front().relative, others);
    if (overall.noise) return;
    overall.winner = 0;
    const overall_candidate& best = candidates.front();
    std::vector<std::size_t> places;
    std::vector<tied_candidate> equals;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const overall_candidate& candidate = candidates[i];
        const bool is_tied = candidate.is_baseline && overall.over_baseline
                                 ? best.score.low <= 1 && best.score.high >= 1
                                 : !candidate.same_as && !is_slower(candidate.relative, best.relative);
        if (i != 0 && !is_tied) continue;
        places.push_back(i);
        equals.push_back(tied_on_all(results, rankings, candidate));
    }
    overall.tie = choose_among_equals(equals);
    overall.winner = places[overall.tie.chosen];
}

// The candidate whose samples this one uses.
std::size_t measured_as(const ranking& workload, std::size_t place)
{
    return workload.candidates[place].same_as.value_or(place);
}

void find_same_code(const std::vector<ranking>& rankings, std::vector<overall_candidate>& candidates)
{
    std::map<std::vector<std::size_t>, std::size_t> first;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        std::vector<std::size_t> measured;
        for (const workload_speed& speed : candidates[i].speeds)
            measured.push_back(measured_as(rankings[speed.ranking], speed.candidate));
        if (const auto [known, fresh] = first.emplace(std::move(measured), i); !fresh)
            candidates[i].same_as = known->second;
    }
}

std::optional<gain> best_over_next(const std::vector<ranking>& rankings,
                                   const std::vector<overall_candidate>& candidates)
{
    const auto next = std::find_if(candidates.begin(), candidates.end(), [&](const overall_candidate& candidate) {
        return &candidate != &candidates.front() && !candidate.same_as;
    });
    if (next == candidates.end()) return std::nullopt;
    std::vector<workload_speed> speeds = candidates.front().speeds;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
        const ranking& workload = rankings[speeds[i].ranking];
        const std::size_t best = speeds[i].candidate, other = next->speeds[i].candidate;
        const bool same = measured_as(workload, best) == measured_as(workload, other);
        speeds[i].speed =
            same ? gain{} : gain_of(workload.candidates[other].settled, workload.candidates[best].settled);
    }
    return weighted_mean(speeds, rankings);
}

}  // namespace

overall_ranking rank_overall(const std::vector<stored_result>& results, const std::vector<ranking>& rankings)
{
    overall_ranking overall;
    overall.over_baseline = std::all_of(rankings.begin(), rankings.end(), [](const ranking& workload_ranking) {
        return workload_ranking.baseline.has_value();
    });
    std::map<std::string, std::size_t> places;
    std::vector<double> references(rankings.size(), 0);
    for (std::size_t r = 0; r < rankings.size(); ++r) {
        const ranked_candidate* reference = reference_of(rankings[r], overall.over_baseline);
        if (reference != nullptr) references[r] = reference->settled.median;
        for (std::size_t c = 0; reference != nullptr && c < rankings[r].candidates.size(); ++c) {
            const ranked_candidate& candidate = rankings[r].candidates[c];
            if (!candidate.may_win) continue;
            const std::size_t reference_place = static_cast<std::size_t>(reference - rankings[r].candidates.data());
            const assignment& parameters = results[candidate.result].parameters;
            const auto [place, fresh] = places.emplace(identity_of(parameters), overall.candidates.size());
            if (fresh) overall.candidates.push_back({.parameters = parameters, .is_baseline = candidate.is_baseline});
            const bool same = measured_as(rankings[r], c) == measured_as(rankings[r], reference_place);
            const gain speed = same ? gain{} : gain_of(reference->settled, candidate.settled);
            auto& speeds = overall.candidates[place->second].speeds;
            // Another tool's file may list a candidate twice.
            if (speeds.empty() || speeds.back().ranking != r) speeds.push_back({r, c, speed});
        }
    }
    const std::size_t all = overall.candidates.size();
    std::erase_if(overall.candidates,
                  [&](const overall_candidate& candidate) { return candidate.speeds.size() < rankings.size(); });
    overall.incomplete = all - overall.candidates.size();
    for (overall_candidate& candidate : overall.candidates) {
        candidate.score = weighted_mean(candidate.speeds, rankings);
        candidate.relative = relative_time(candidate, rankings, references);
        const auto worst =
            std::min_element(candidate.speeds.begin(), candidate.speeds.end(),
                             [](const auto& one, const auto& other) { return one.speed.times < other.speed.times; });
        candidate.worst = static_cast<std::size_t>(worst - candidate.speeds.begin());
    }
    std::stable_sort(overall.candidates.begin(), overall.candidates.end(), [](const auto& one, const auto& other) {
        return std::tuple(one.score.times, one.is_baseline) > std::tuple(other.score.times, other.is_baseline);
    });
    find_same_code(rankings, overall.candidates);
    if (!overall.candidates.empty()) overall.over_next = best_over_next(rankings, overall.candidates);
    decide(results, rankings, overall);
    return overall;
}

}  // namespace launchbox
