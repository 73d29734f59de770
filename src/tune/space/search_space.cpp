// SPDX-License-Identifier: Apache-2.0
#include "tune/space/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace launchbox {

namespace {

void check_names(const value_expression& expression, const std::set<std::string>& known, const limit_values& limits);
void sort_candidates(std::vector<std::uint64_t>& packed, std::size_t words);

}  // namespace

// Compiled once; a Lua state must not be used by two threads at once.
struct search_space::judge {
    std::mutex lock;
    limit_values limits;
    expression_places places;
    std::vector<value_expression> constraints, of_workloads;
    std::vector<std::optional<value_expression>> when;  // of each parameter
};

search_space::search_space(const tune_spec& spec, const limit_values& limits, std::size_t max_candidates,
                           const std::function<void(double)>& progress)
    : judge_(std::make_shared<judge>())
{
    std::set<std::string> names, of_workload;
    raw_size_ = 1;
    for (const tuning_parameter& parameter : spec.parameters) {
        add_level(parameter);
        names.insert(parameter.name);
    }
    layout_ = packed_layout(counts_of_values());
    judge_->places = spec.places;
    for (const auto& when : judge_->when)
        if (when) in_spec(spec.places, [&] { check_names(*when, names, limits); });
    if (!spec.workloads.empty())
        for (const auto& [name, value] : spec.workloads.front().values.values) of_workload.insert(name);
    std::set<std::string> all = names;
    all.insert(of_workload.begin(), of_workload.end());

    std::vector<std::string> conditions;     // that use the parameter
    std::vector<std::size_t> of_conditions;  // their indices among the constraints
    bool possible = true;
    judge_->limits = limits;
    for (const std::string& constraint : spec.constraints) {
        value_expression expression = in_spec(spec.places, [&] {
            value_expression parsed(constraint);
            check_names(parsed, all, limits);
            return parsed;
        });
        const auto names_one_of = [&](const std::set<std::string>& some) {
            return std::any_of(expression.names().begin(), expression.names().end(),
                               [&](const std::string& name) { return some.contains(name); });
        };
        if (names_one_of(of_workload)) {
            workload_constraints_.push_back(constraint);
            judge_->of_workloads.push_back(std::move(expression));
            continue;
        }
        rejections_.emplace_back(constraint, 0);
        if (names_one_of(names)) {
            conditions.push_back(constraint);
            of_conditions.push_back(rejections_.size() - 1);
        } else if (!in_spec(spec.places, [&] { return expression.truth({}, limits); })) {
            possible = false;
            rejections_.back().second = 1;
        }
        judge_->constraints.push_back(std::move(expression));
    }
    if (!possible) return;

    found_candidates found = in_spec(
        spec.places, [&] { return find_candidates(levels_, conditions, limits, layout_, max_candidates, progress); });
    for (std::size_t c = 0; c < conditions.size(); ++c) rejections_[of_conditions[c]].second = found.rejections[c];
    candidates_ = std::move(found.packed);
    sort_candidates(candidates_, layout_.words());
}

search_space::search_space(const std::vector<tuning_parameter>& parameters, const std::vector<assignment>& candidates)
    : judge_(std::make_shared<judge>())
{
    raw_size_ = 1;
    for (const tuning_parameter& parameter : parameters) {
        tuning_parameter plain = parameter;
        plain.when.clear();
        add_level(plain);
    }
    layout_ = packed_layout(counts_of_values());
    std::set<std::vector<std::uint64_t>> different;
    for (const assignment& candidate : candidates)
        if (auto one = packed(candidate)) different.insert(*std::move(one));
    for (const auto& item : different) candidates_.insert(candidates_.end(), item.begin(), item.end());
}

void search_space::add_level(const tuning_parameter& parameter)
{
    scan_level& level =
        levels_.emplace_back(scan_level{parameter.name, parameter.values, parameter.when, parameter.values.size()});
    judge_->when.emplace_back();
    if (!parameter.when.empty()) {
        judge_->when.back().emplace(parameter.when);
        const auto otherwise = std::find(parameter.values.begin(), parameter.values.end(), parameter.otherwise);
        level.otherwise = static_cast<std::size_t>(otherwise - parameter.values.begin());
        if (otherwise == parameter.values.end()) level.values.push_back(parameter.otherwise);
    }
    std::map<std::string, std::uint32_t>& numbers = numbers_.emplace_back();
    for (std::size_t i = 0; i < level.values.size(); ++i)
        numbers[parameter_text(level.values[i])] = static_cast<std::uint32_t>(i);
    raw_size_ *= static_cast<double>(parameter.values.size());
}

std::vector<std::size_t> search_space::counts_of_values() const
{
    std::vector<std::size_t> counts;
    for (const scan_level& level : levels_) counts.push_back(level.values.size());
    return counts;
}

std::vector<std::uint32_t> search_space::coordinates(std::size_t index) const
{
    return layout_.indices(candidates_.data() + index * layout_.words());
}

namespace {

void check_names(const value_expression& expression, const std::set<std::string>& known, const limit_values& limits)
{
    for (const std::string& name : expression.names()) {
        if (known.contains(name) || name.starts_with("sm.") || name.starts_with("device.")) continue;
        throw expression_error(expression.text(),
                               "unknown name '" + name.substr(0, 64) + "' in '" + expression.text().substr(0, 60) + "'",
                               "use the names of parameters and of the workload's values");
    }
    refuse_unknown_limits(expression, limits);
}

void sort_candidates(std::vector<std::uint64_t>& packed, std::size_t words)
{
    if (words == 1) {
        if (!std::is_sorted(packed.begin(), packed.end())) std::sort(packed.begin(), packed.end());
        return;
    }
    std::vector<const std::uint64_t*> order;
    for (std::size_t at = 0; at < packed.size(); at += words) order.push_back(packed.data() + at);
    const auto before = [&](const std::uint64_t* a, const std::uint64_t* b) {
        return std::lexicographical_compare(a, a + words, b, b + words);
    };
    if (std::is_sorted(order.begin(), order.end(), before)) return;
    std::sort(order.begin(), order.end(), before);
    std::vector<std::uint64_t> sorted;
    sorted.reserve(packed.size());
    for (const std::uint64_t* number : order) sorted.insert(sorted.end(), number, number + words);
    packed = std::move(sorted);
}

}  // namespace

std::size_t search_space::size() const
{
    return candidates_.size() / layout_.words();
}

assignment search_space::at(std::size_t index) const
{
    const std::vector<std::uint32_t> numbers = layout_.indices(candidates_.data() + index * layout_.words());
    assignment result;
    for (std::size_t p = 0; p < levels_.size(); ++p)
        result.values.emplace_back(levels_[p].name, levels_[p].values[numbers[p]]);
    return result;
}

std::optional<std::size_t> search_space::find(const assignment& candidate) const
{
    const auto wanted = packed(candidate);
    if (!wanted) return std::nullopt;
    const std::size_t place = place_of(*wanted);
    const std::size_t words = layout_.words();
    if (place == size() || !std::equal(wanted->begin(), wanted->end(), candidates_.data() + place * words))
        return std::nullopt;
    return place;
}

// 2.0 and 2 are the same value: result files do not distinguish them.
std::optional<std::vector<std::uint64_t>> search_space::packed(const assignment& candidate) const
{
    if (candidate.values.size() != levels_.size()) return std::nullopt;
    std::vector<std::uint32_t> numbers;
    for (std::size_t p = 0; p < levels_.size(); ++p) {
        const parameter_value* value = candidate.find(levels_[p].name);
        if (value == nullptr) return std::nullopt;
        const auto found = numbers_[p].find(parameter_text(*value));
        if (found == numbers_[p].end()) return std::nullopt;
        const auto is_number = [](const parameter_value& given) {
            return std::holds_alternative<std::int64_t>(given) || std::holds_alternative<double>(given);
        };
        const parameter_value& ours = levels_[p].values[found->second];
        if (ours.index() != value->index() && !(is_number(ours) && is_number(*value))) return std::nullopt;
        numbers.push_back(found->second);
    }
    std::vector<std::uint64_t> result;
    layout_.append(numbers, result);
    return result;
}

// The place of the first candidate that is not before this one.
std::size_t search_space::place_of(const std::vector<std::uint64_t>& candidate) const
{
    const std::size_t words = layout_.words();
    std::size_t low = 0, high = size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const std::uint64_t* there = candidates_.data() + middle * words;
        if (std::lexicographical_compare(there, there + words, candidate.begin(), candidate.end()))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::vector<std::size_t> search_space::neighbours(std::size_t index) const
{
    const std::size_t words = layout_.words();
    const std::uint64_t* begin = candidates_.data() + index * words;
    const std::vector<std::uint32_t> numbers = layout_.indices(begin);
    std::vector<std::size_t> result;
    std::vector<std::uint64_t> other(begin, begin + words);
    for (std::size_t p = 0; p < levels_.size(); ++p) {
        for (std::uint32_t value = 0; value < levels_[p].values.size(); ++value) {
            if (value == numbers[p]) continue;
            layout_.set(other.data(), p, value);
            const std::size_t place = place_of(other);
            if (place < size() && std::equal(other.begin(), other.end(), candidates_.data() + place * words))
                result.push_back(place);
        }
        layout_.set(other.data(), p, numbers[p]);
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::string search_space::why_not(const assignment& point) const
{
    for (const auto& value : point.values)
        if (std::none_of(levels_.begin(), levels_.end(), [&](const auto& level) { return level.name == value.first; }))
            return fmt::format("there is no parameter {}", value.first);
    for (const scan_level& level : levels_)
        if (point.find(level.name) == nullptr) return fmt::format("{} has no value", level.name);
    const std::lock_guard guard(judge_->lock);
    const auto truth_of = [&](const value_expression& expression) {
        return in_spec(judge_->places, [&] { return expression.truth(point, judge_->limits); });
    };
    for (std::size_t p = 0; p < levels_.size(); ++p) {
        const scan_level& level = levels_[p];
        const parameter_value& value = *point.find(level.name);
        const auto number = numbers_[p].find(parameter_text(value));
        if (number == numbers_[p].end())
            return fmt::format("{} is {}, which the parameter does not have", level.name, parameter_text(value));
        if (!judge_->when[p]) continue;
        const bool counts = truth_of(*judge_->when[p]);
        if (counts && number->second >= level.listed)
            return fmt::format("{} is {}, although {} is true", level.name, parameter_text(value), level.when);
        if (!counts && number->second != level.otherwise)
            return fmt::format("{} is {}, and must be {} where {} is false", level.name, parameter_text(value),
                               parameter_text(level.values[level.otherwise]), level.when);
    }
    for (const value_expression& constraint : judge_->constraints)
        if (!truth_of(constraint)) return constraint.text();
    return {};
}

void search_space::check_workload_constraints(const std::vector<workload>& workloads) const
{
    if (workload_constraints_.empty() || workloads.empty()) return;
    constexpr std::size_t max_tries = 1'000'000;
    const std::size_t stride = size() / std::max<std::size_t>(max_tries / workloads.size(), 1) + 1;
    for (std::size_t candidate = 0; candidate < size(); candidate += stride) {
        const assignment values = at(candidate);
        for (const workload& workload : workloads) static_cast<void>(why_not(values, workload));
    }
}

std::string search_space::why_not(const assignment& candidate, const workload& workload) const
{
    if (judge_->of_workloads.empty()) return {};
    const assignment both = joined(candidate, workload.values);
    const std::lock_guard guard(judge_->lock);
    for (const value_expression& of_workload : judge_->of_workloads)
        if (!in_spec(judge_->places, [&] { return of_workload.truth(both, judge_->limits); }))
            return of_workload.text();
    return {};
}

}  // namespace launchbox
