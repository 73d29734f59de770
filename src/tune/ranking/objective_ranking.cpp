// Ranking by an objective: the rules for times, applied to the costs that the objective computes.
// SPDX-License-Identifier: Apache-2.0

#include "tune/ranking/ranking.hpp"

namespace launchbox {

namespace {

// Ranks last the candidates for which the objective lacks data.
constexpr double no_cost = 1e200;

// The results with costs in place of times. A candidate that may not win counts as stopped early.
std::vector<stored_result> with_costs(const std::vector<stored_result>& results, const objective& goal)
{
    std::vector<stored_result> changed;
    changed.reserve(results.size());
    for (const stored_result& result : results) {
        changed.push_back({.parameters = result.parameters,
                           .workload = result.workload,
                           .weight = result.weight,
                           .work = result.work,
                           .measured = result.measured,
                           .kernel = result.kernel,
                           .same_as = result.same_as});
        measurement& measured = changed.back().measured;
        if (measured.status != outcome::measured) continue;
        const std::optional<sample_summary> cost = goal.cost(measured);
        measured.stopped_early |= !cost || !goal.allows(measured);
        // With three samples, the interval is their minimum and maximum.
        if (!goal.is_time())
            measured.samples_ns = cost ? std::vector{cost->low, cost->median, cost->high} : std::vector(3, no_cost);
    }
    return changed;
}

void mark_front(const std::vector<stored_result>& results, const objective& goal, ranking& workload)
{
    std::vector<const measurement*> measured;
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < workload.candidates.size(); ++place) {
        const ranked_candidate& candidate = workload.candidates[place];
        if (!candidate.may_win || candidate.same_as) continue;
        measured.push_back(&results[candidate.result].measured);
        places.push_back(place);
    }
    for (const std::size_t number : pareto_front(measured, goal)) workload.candidates[places[number]].on_front = true;
}

}  // namespace

std::vector<ranking> rank(const std::vector<stored_result>& results, const std::vector<race_result_info>& races,
                          const std::optional<assignment>& baseline, const objective& goal)
{
    if (goal.is_plain()) return rank(results, races, baseline);
    const std::vector<race_result_info> none;
    std::vector<ranking> rankings = rank(with_costs(results, goal), goal.is_time() ? races : none, baseline);
    for (ranking& workload : rankings) {
        workload.goal = goal;
        for (ranked_candidate& candidate : workload.candidates) {
            const measurement& measured = results[candidate.result].measured;
            candidate.allowed = goal.allows(measured);
            if (goal.is_time()) continue;
            candidate.cost = goal.cost(measured);
            if (!candidate.cost) candidate.over_baseline.reset();
            candidate.time = summarise(measured.samples_ns);
        }
        // Nothing can be compared with a baseline that has no cost.
        if (!goal.is_time() && workload.baseline && !workload.candidates[*workload.baseline].cost) {
            for (ranked_candidate& candidate : workload.candidates) candidate.over_baseline.reset();
            if (workload.decided) workload.decided->over_baseline.reset();
            workload.baseline.reset();
        }
        if (goal.terms().size() > 1) mark_front(results, goal, workload);
    }
    return rankings;
}

std::vector<ranking> rank(const recorded_run& run)
{
    return rank(run.results, run.races, run.info.baseline, objective_of(run.info));
}

}  // namespace launchbox
