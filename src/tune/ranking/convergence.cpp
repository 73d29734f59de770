// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/convergence.hpp"

#include <cmath>
#include <map>
#include <set>

#include "tune/ranking/overall_score.hpp"

namespace launchbox {

namespace {

/// Adds up the costs in order.
class charged_time {
public:
    double after(const stored_result& result)
    {
        // A compile time that is equal to the nanosecond is the same compile, made earlier for another workload.
        if (result.compile_seconds > 0 &&
            compiles_.emplace(identity_of(result.parameters), result.compile_seconds).second)
            seconds_ += result.compile_seconds;
        if (!result.same_as) seconds_ += result.measured.seconds;
        return seconds_;
    }

private:
    double seconds_ = 0;
    std::set<std::pair<std::string, double>> compiles_;
};

// Once the final best is known: how far each candidate was from it, and when the search was close.
void look_back(convergence& found, bool more_is_better)
{
    if (found.improvements.empty()) return;
    const double best = found.improvements.back().value;
    for (improvement& improvement : found.improvements) {
        const double ratio = more_is_better ? best / improvement.value : improvement.value / best;
        improvement.gap = &improvement == &found.improvements.back() ? 0 : std::isfinite(ratio) ? ratio - 1 : 0;
    }
    for (std::size_t part = 0; part < convergence_parts.size(); ++part)
        while (found.improvements[found.reached[part]].gap > convergence_parts[part]) ++found.reached[part];
}

convergence on_workload(const std::vector<stored_result>& results, const ranking& workload)
{
    const bool by_time = workload.goal.is_time();
    convergence found{.workload = workload.workload, .kind = by_time ? convergence_kind::time : convergence_kind::cost};
    std::map<std::size_t, double> values;
    for (const ranked_candidate& candidate : workload.candidates)
        if (candidate.may_win && (by_time || candidate.cost))
            values.emplace(candidate.result, by_time ? candidate.time.median : candidate.cost->median);
    charged_time time;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].workload != workload.workload) continue;
        found.seconds = time.after(results[i]);
        if (results[i].measured.status == outcome::rejected) continue;
        ++found.evaluations;
        const auto median = values.find(i);
        if (median == values.end()) continue;
        if (!found.improvements.empty() && median->second >= found.improvements.back().value) continue;
        found.improvements.push_back({.evaluation = found.evaluations,
                                      .seconds = found.seconds,
                                      .value = median->second,
                                      .parameters = results[i].parameters});
    }
    look_back(found, false);
    return found;
}

convergence over_all(const std::vector<stored_result>& results, const std::vector<ranking>& rankings)
{
    convergence found{.workload = std::nullopt, .kind = convergence_kind::score};
    const overall_ranking overall = rank_overall(results, rankings);
    std::map<std::string, double> scores;
    for (const overall_candidate& candidate : overall.candidates)
        scores.emplace(identity_of(candidate.parameters), candidate.score.times);
    std::map<std::string, std::size_t> missing;  // remaining workloads of each candidate
    charged_time time;
    for (const stored_result& result : results) {
        found.seconds = time.after(result);
        if (result.measured.status == outcome::rejected) continue;
        const std::string name = identity_of(result.parameters);
        const auto [left, fresh] = missing.emplace(name, rankings.size());
        found.evaluations += fresh ? 1 : 0;
        if (left->second == 0 || --left->second > 0) continue;
        const auto score = scores.find(name);
        if (score == scores.end()) continue;
        if (!found.improvements.empty() && score->second <= found.improvements.back().value) continue;
        found.improvements.push_back({.evaluation = found.evaluations,
                                      .seconds = found.seconds,
                                      .value = score->second,
                                      .parameters = result.parameters});
    }
    look_back(found, true);
    return found;
}

}  // namespace

std::vector<convergence> converge(const std::vector<stored_result>& results, const std::vector<ranking>& rankings)
{
    std::vector<convergence> found;
    for (const ranking& workload_ranking : rankings) found.push_back(on_workload(results, workload_ranking));
    if (rankings.size() > 1) found.push_back(over_all(results, rankings));
    return found;
}

}  // namespace launchbox
