// SPDX-License-Identifier: Apache-2.0
#include "tune/run/warm_start.hpp"

#include <algorithm>
#include <set>

#include "tune/emit/row_fields.hpp"
#include "tune/ranking/overall_score.hpp"

namespace launchbox {

namespace {

// One list per workload, and one for the best on all workloads together.
std::vector<std::vector<assignment>> best_lists(const recorded_run& run)
{
    std::vector<std::vector<assignment>> lists;
    const std::vector<ranking> rankings = rank(run);
    if (rankings.size() > 1) {
        std::vector<assignment>& together = lists.emplace_back();
        for (const overall_candidate& candidate : rank_overall(run.results, rankings).candidates)
            together.push_back(candidate.parameters);
    }
    for (const ranking& workload : rankings) {
        std::vector<assignment>& list = lists.emplace_back();
        const auto& candidates = workload.candidates;
        if (workload.decided) list.push_back(run.results[candidates[workload.decided->winner].result].parameters);
        for (const ranked_candidate& candidate : candidates)
            if (candidate.may_win && !candidate.same_as) list.push_back(run.results[candidate.result].parameters);
    }
    return lists;
}

// A word may be an enumerator: mine::load::direct.
const parameter_value* value_in(const tuning_parameter& parameter, const std::string& text)
{
    for (const parameter_value& value : parameter.values) {
        if (parameter_text(value) == text) return &value;
        if (std::holds_alternative<std::string>(value) && text.ends_with("::" + identifier_of(parameter_text(value))))
            return &value;
    }
    return nullptr;
}

}  // namespace

std::optional<assignment> candidate_of(const header_row& row, const std::vector<tuning_parameter>& parameters)
{
    if (row.values.size() < parameters.size()) return std::nullopt;
    assignment candidate;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const parameter_value* value = value_in(parameters[p], row.values[p]);
        if (value == nullptr) return std::nullopt;
        candidate.values.emplace_back(parameters[p].name, *value);
    }
    return candidate;
}

std::vector<assignment> rows_in_header(std::string_view text, const std::string& name,
                                       const std::vector<tuning_parameter>& parameters)
{
    std::vector<std::pair<int, assignment>> rows;
    for (const header_table& table : parse_tuning_header(text, name))
        for (const header_row& row : table.rows)
            if (std::optional<assignment> candidate = candidate_of(row, parameters))
                rows.emplace_back(rank_of(row), std::move(*candidate));
    std::ranges::stable_sort(rows, std::ranges::greater{}, &std::pair<int, assignment>::first);
    std::vector<assignment> candidates;
    for (auto& [rank, candidate] : rows) candidates.push_back(std::move(candidate));
    return candidates;
}

std::vector<assignment> best_of(const result_file& file, std::size_t max_count)
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
            if (place < list.size() && best.size() < max_count && seen.insert(identity_of(list[place])).second)
                best.push_back(list[place]);
    return best;
}

std::vector<std::size_t> found_in(const search_space& space, const std::vector<std::string>& names,
                                  const std::vector<assignment>& candidates)
{
    std::vector<std::size_t> found;
    for (assignment candidate : candidates) {
        std::erase_if(candidate.values,
                      [&](const auto& value) { return std::ranges::find(names, value.first) == names.end(); });
        const std::optional<std::size_t> place = space.find(candidate);
        if (place && std::ranges::find(found, *place) == found.end()) found.push_back(*place);
    }
    return found;
}

}  // namespace launchbox
