#include "tune/overall_score.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace launchbox {

namespace {

// What the others of a workload are compared with: the baseline, or else the fastest that may win.
const ranked_candidate* reference_of(const ranking& workload, bool over_baseline)
{
    if (over_baseline) return &workload.candidates[*workload.baseline];
    for (const ranked_candidate& each : workload.candidates)
        if (each.may_win) return &each;
    return nullptr;
}

gain weighted_mean(const std::vector<workload_speed>& speeds, const std::vector<ranking>& rankings)
{
    double weights = 0, middle = 0, low = 0, high = 0;
    for (const workload_speed& each : speeds) {
        const double weight = rankings[each.ranking].weight;
        weights += weight;
        middle += weight * std::log(each.speed.times);
        low += weight * std::log(each.speed.low);
        high += weight * std::log(each.speed.high);
    }
    return {std::exp(middle / weights), std::exp(low / weights), std::exp(high / weights)};
}

}  // namespace

overall_ranking rank_overall(const std::vector<stored_result>& results, const std::vector<ranking>& rankings)
{
    overall_ranking overall;
    overall.over_baseline =
        std::all_of(rankings.begin(), rankings.end(), [](const ranking& each) { return each.baseline.has_value(); });
    std::map<std::string, std::size_t> places;
    for (std::size_t r = 0; r < rankings.size(); ++r) {
        const ranked_candidate* reference = reference_of(rankings[r], overall.over_baseline);
        for (std::size_t c = 0; reference != nullptr && c < rankings[r].candidates.size(); ++c) {
            const ranked_candidate& each = rankings[r].candidates[c];
            if (!each.may_win) continue;
            const assignment& parameters = results[each.result].parameters;
            const auto [place, fresh] = places.emplace(text_of(parameters), overall.candidates.size());
            if (fresh)
                overall.candidates.push_back(
                    {.parameters = parameters, .score = {}, .speeds = {}, .is_baseline = each.is_baseline});
            const gain speed = &each == reference ? gain{} : gain_of(reference->time, each.time);
            overall.candidates[place->second].speeds.push_back({r, c, speed});
        }
    }
    const std::size_t all = overall.candidates.size();
    std::erase_if(overall.candidates,
                  [&](const overall_candidate& each) { return each.speeds.size() < rankings.size(); });
    overall.incomplete = all - overall.candidates.size();
    for (overall_candidate& each : overall.candidates) {
        each.score = weighted_mean(each.speeds, rankings);
        const auto worst =
            std::min_element(each.speeds.begin(), each.speeds.end(),
                             [](const auto& one, const auto& other) { return one.speed.times < other.speed.times; });
        each.worst = static_cast<std::size_t>(worst - each.speeds.begin());
    }
    std::stable_sort(overall.candidates.begin(), overall.candidates.end(),
                     [](const auto& one, const auto& other) { return one.score.times > other.score.times; });
    return overall;
}

}  // namespace launchbox
