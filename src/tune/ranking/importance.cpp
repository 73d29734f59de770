// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/importance.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace launchbox {

namespace {

constexpr std::size_t min_candidates = 8, max_pairs = 5;
constexpr double min_pair = 0.01;

struct observations {
    std::vector<double> log_times;
    std::vector<const assignment*> candidates;
    double mean = 0, total = 0;  // of squared deviations from the mean
};

struct group {
    double sum = 0;
    double count = 0;
};

// Epsilon squared of a classification of the candidates; 0 if every candidate is a group of its own.
double explained_by(const observations& seen, const std::vector<std::size_t>& group_of, std::size_t groups)
{
    const double count = static_cast<double>(seen.log_times.size()), ways = static_cast<double>(groups);
    if (groups < 2 || count <= ways) return 0;
    std::vector<group> sums(groups);
    for (std::size_t i = 0; i < group_of.size(); ++i) {
        sums[group_of[i]].sum += seen.log_times[i];
        ++sums[group_of[i]].count;
    }
    double between = 0;
    for (const group& one : sums) {
        const double off = one.sum / one.count - seen.mean;
        between += one.count * off * off;
    }
    const double within = std::max(0.0, seen.total - between) / (count - ways);
    return std::clamp((between - (ways - 1) * within) / seen.total, 0.0, 1.0);
}

// Groups of candidates that have equal values of these parameters.
std::vector<std::size_t> groups_by(const observations& seen, const std::vector<std::string>& parameters,
                                   std::size_t& count)
{
    std::map<std::string, std::size_t> numbers;
    std::vector<std::size_t> group_of;
    for (const assignment* candidate : seen.candidates) {
        assignment part;
        for (const std::string& name : parameters)
            if (const parameter_value* value = candidate->find(name)) part.values.emplace_back(name, *value);
        group_of.push_back(numbers.try_emplace(identity_of(part), numbers.size()).first->second);
    }
    count = numbers.size();
    return group_of;
}

bool explains_more(const parameter_importance& one, const parameter_importance& other)
{
    return one.explained > other.explained;
}

}  // namespace

importance importance_of(const std::vector<stored_result>& results, const ranking& workload)
{
    importance found;
    observations seen;
    std::vector<std::string> names;
    for (const ranked_candidate& candidate : workload.candidates) {
        const double cost =
            workload.goal.is_time() ? candidate.time.median : candidate.cost.value_or(sample_summary{}).median;
        if (candidate.same_as || cost <= 0) continue;
        seen.log_times.push_back(std::log(cost));
        seen.candidates.push_back(&results[candidate.result].parameters);
        for (const auto& [name, value] : seen.candidates.back()->values)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    found.candidates = seen.log_times.size();
    if (found.candidates < min_candidates) return found;
    for (const double time : seen.log_times) seen.mean += time / static_cast<double>(found.candidates);
    for (const double time : seen.log_times) seen.total += (time - seen.mean) * (time - seen.mean);
    if (seen.total < 1e-12) return found;

    std::map<std::string, double> alone;
    for (const std::string& name : names) {
        std::size_t groups = 0;
        const std::vector<std::size_t> group_of = groups_by(seen, {name}, groups);
        if (groups < 2) continue;
        alone[name] = explained_by(seen, group_of, groups);
        found.singles.push_back({{name}, alone[name]});
    }
    std::stable_sort(found.singles.begin(), found.singles.end(), explains_more);
    for (auto one = alone.begin(); one != alone.end(); ++one)
        for (auto other = std::next(one); other != alone.end(); ++other) {
            std::size_t groups = 0;
            const std::vector<std::size_t> group_of = groups_by(seen, {one->first, other->first}, groups);
            const double more = explained_by(seen, group_of, groups) - one->second - other->second;
            if (more >= min_pair) found.pairs.push_back({{one->first, other->first}, more});
        }
    std::stable_sort(found.pairs.begin(), found.pairs.end(), explains_more);
    if (found.pairs.size() > max_pairs) found.pairs.resize(max_pairs);
    return found;
}

}  // namespace launchbox
