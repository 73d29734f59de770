#include "tune/warm_start.hpp"

#include <algorithm>
#include <set>

#include "tune/overall_score.hpp"

namespace launchbox {

namespace {

// One list a workload, and one for the best on all workloads together.
std::vector<std::vector<assignment>> best_lists(const recorded_run& run)
{
    std::vector<std::vector<assignment>> lists;
    const std::vector<ranking> rankings = rank(run.results, run.races, run.info.baseline);
    if (rankings.size() > 1) {
        std::vector<assignment>& together = lists.emplace_back();
        for (const overall_candidate& each : rank_overall(run.results, rankings).candidates)
            together.push_back(each.parameters);
    }
    for (const ranking& workload : rankings) {
        std::vector<assignment>& list = lists.emplace_back();
        const auto& candidates = workload.candidates;
        if (workload.decided) list.push_back(run.results[candidates[workload.decided->winner].result].parameters);
        for (const ranked_candidate& each : candidates)
            if (each.may_win && !each.same_as) list.push_back(run.results[each.result].parameters);
    }
    return lists;
}

}  // namespace

std::vector<assignment> best_of(const result_file& file, std::size_t most)
{
    std::vector<std::vector<assignment>> lists;
    std::size_t longest = 0;
    for (const recorded_run& run : file.runs)
        for (std::vector<assignment>& list : best_lists(run)) {
            longest = std::max(longest, list.size());
            lists.push_back(std::move(list));
        }
    std::vector<assignment> best;
    std::set<std::string> seen;
    for (std::size_t place = 0; place < longest; ++place)
        for (const std::vector<assignment>& list : lists)
            if (place < list.size() && best.size() < most && seen.insert(text_of(list[place])).second)
                best.push_back(list[place]);
    return best;
}

std::vector<std::size_t> found_in(const search_space& space, const std::vector<std::string>& names,
                                  const std::vector<assignment>& candidates)
{
    std::vector<std::size_t> found;
    for (assignment each : candidates) {
        std::erase_if(each.values,
                      [&](const auto& value) { return std::ranges::find(names, value.first) == names.end(); });
        const std::optional<std::size_t> place = space.find(each);
        if (place && std::ranges::find(found, *place) == found.end()) found.push_back(*place);
    }
    return found;
}

}  // namespace launchbox
