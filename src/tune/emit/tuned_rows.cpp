#include "tune/emit/tuned_rows.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

namespace {

const char* measure_again = "run launchbox tune again; launchbox results FILE --failures tells what went wrong";

void refuse_unmeasured(const recorded_run& run, const std::vector<ranking>& rankings)
{
    if (run.results.empty()) throw error("'" + run.info.name + "': nothing was measured", measure_again);
    for (const ranking& each : rankings)
        if (!each.decided)
            throw error("'" + run.info.name + "' on " + text_of(each.problem) + ": all candidates failed",
                        measure_again);
}

bool is_verified(const recorded_run& run, const assignment& candidate)
{
    // The baseline is what others are compared with.
    if (run.info.baseline && candidate == *run.info.baseline)
        return std::any_of(run.results.begin(), run.results.end(),
                           [](const stored_result& each) { return each.measured.verified; });
    return std::all_of(run.results.begin(), run.results.end(), [&](const stored_result& each) {
        return each.parameters != candidate || each.measured.verified;
    });
}

row_choice decided_alone(const recorded_run& run, const ranking& only)
{
    const ranked_candidate& winner = only.candidates[only.decided->winner];
    row_choice chosen{.parameters = run.results[winner.result].parameters};
    if (!only.baseline) return chosen;
    chosen.over = only.decided->over_baseline ? only.decided->over_baseline : winner.over_baseline;
    if (winner.is_baseline) chosen.over = gain{};
    if (chosen.over) chosen.workloads.push_back({only.problem, only.weight, *chosen.over});
    return chosen;
}

row_choice decided_overall(const recorded_run& run, const std::vector<ranking>& rankings, bool over_replaced)
{
    const overall_ranking overall = rank_overall(run.results, rankings);
    if (overall.candidates.empty())
        throw error("'" + run.info.name + "': no candidate was measured on all workloads",
                    "tune again until the workloads have candidates in common, or choose one with --workload");
    const overall_candidate& best = overall.candidates.front();
    row_choice chosen{.parameters = best.parameters};
    if (!over_replaced || !overall.over_baseline) return chosen;
    chosen.over = best.score;
    chosen.worst = best.worst;
    for (const workload_speed& each : best.speeds)
        chosen.workloads.push_back({rankings[each.ranking].problem, rankings[each.ranking].weight, each.speed});
    return chosen;
}

}  // namespace

bool is_beyond_noise(const gain& over)
{
    return over.times >= 1.01 && over.low > 1;
}

row_choice choose_row(const recorded_run& run, const std::optional<assignment>& replaced)
{
    const std::vector<ranking> rankings = rank(run.results, run.races, replaced);
    refuse_unmeasured(run, rankings);
    row_choice chosen = rankings.size() == 1 ? decided_alone(run, rankings.front())
                                             : decided_overall(run, rankings, replaced.has_value());
    if (chosen.over && !is_beyond_noise(*chosen.over)) {
        chosen.parameters = *replaced;
        chosen.kept = true;
    }
    chosen.verified = is_verified(run, chosen.parameters);
    return chosen;
}

recorded_run part_of(const recorded_run& run, const std::function<bool(const assignment& problem)>& wanted)
{
    recorded_run part{run.number, run.info, {}, {}};
    for (const stored_result& each : run.results)
        if (wanted(each.problem)) part.results.push_back(each);
    for (const race_result_info& each : run.races)
        if (wanted(each.problem)) part.races.push_back(each);
    return part;
}

bool is_measured(const recorded_run& run, const assignment& candidate)
{
    bool some = false;
    for (const stored_result& each : run.results) {
        if (each.parameters != candidate) continue;
        if (each.measured.what != outcome::measured) return false;
        some = true;
    }
    return some;
}

}  // namespace launchbox
