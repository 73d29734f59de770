// SPDX-License-Identifier: Apache-2.0
#include "tune/types/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <mutex>

#include "support/error.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr double ns_per_ms = 1e6, largest_weight = 1e6;
constexpr std::size_t max_terms = 8, longest_text = 1000;
constexpr const char* example = "write, for example, energy, or time*2, energy where power <= 500";

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why)
{
    throw error(fmt::format("the objective '{}' {}", escape_for_terminal(shortened(std::string(text), 100)), why),
                example);
}

objective_term term_of(std::string_view text, std::string_view whole)
{
    objective_term term;
    text = trimmed(text);
    for (const auto& [word, largest] : {std::pair("max ", true), std::pair("min ", false)})
        if (text.starts_with(word)) {
            term.largest = largest;
            text = trimmed(text.substr(4));
            break;
        }
    if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
        const std::string_view weight = trimmed(text.substr(star + 1));
        const auto [end, failure] = std::from_chars(weight.data(), weight.data() + weight.size(), term.weight);
        if (failure != std::errc() || end != weight.data() + weight.size() || !(term.weight > 0) ||
            term.weight > largest_weight)
            refuse(whole, fmt::format("has the weight '{}', which is not a number above 0 and up to 1,000,000",
                                      escape_for_terminal(std::string(weight))));
        text = trimmed(text.substr(0, star));
    }
    if (!is_quantity_name(text))
        refuse(whole,
               fmt::format("names '{}': names have letters, digits and _", escape_for_terminal(std::string(text))));
    term.name = text;
    return term;
}

sample_summary scaled(sample_summary of, double by)
{
    of.median *= by;
    of.low *= by;
    of.high *= by;
    return of;
}

std::optional<double> value_of(const measurement& measured, const objective_term& term)
{
    const std::optional<sample_summary> known = quantity_of(measured, term.name);
    if (!known || !is_quantity(known->median)) return std::nullopt;
    return term.largest ? 1 / known->median : known->median;
}

}  // namespace

std::string_view unit_of(std::string_view quantity)
{
    return quantity == time_quantity ? "ms" : quantity == energy_quantity ? "J" : quantity == power_quantity ? "W" : "";
}

bool is_quantity_name(std::string_view name)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && name.size() <= 100 && letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_quantity(double value)
{
    return value >= 1e-100 && value <= 1e100;
}

// Several threads use copies of an objective, and an expression must not be evaluated by two at once.
struct objective::shared_condition {
    explicit shared_condition(const std::string& text) : expression(text) {}
    value_expression expression;
    std::mutex lock;
};

objective::objective(const std::string& given)
{
    std::string_view rest = trimmed(given);
    if (rest.size() > longest_text) refuse(rest, "is longer than 1,000 characters");
    if (const std::size_t where = rest.find(" where "); where != std::string_view::npos) {
        condition_ = trimmed(rest.substr(where + 7));
        rest = rest.substr(0, where);
        allowed_ = std::make_shared<shared_condition>(condition_);
        for (const std::string& name : allowed_->expression.names())
            if (!is_quantity_name(name)) refuse(given, "has '" + name + "' in its condition, which is not measured");
    }
    terms_.clear();
    for (;;) {
        const std::size_t comma = rest.find(',');
        objective_term term = term_of(rest.substr(0, comma), given);
        if (std::ranges::find(terms_, term.name, &objective_term::name) != terms_.end())
            refuse(given, "names " + term.name + " twice");
        if ((term.name == time_quantity || term.name == energy_quantity) && term.largest)
            refuse(given, "wants the largest " + term.name);
        terms_.push_back(std::move(term));
        if (terms_.size() > max_terms) refuse(given, "has more than 8 terms");
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    // One text for one meaning, because results are distinguished by it.
    text_.clear();
    for (const objective_term& term : terms_)
        text_ += fmt::format("{}{}{}{}", text_.empty() ? "" : ", ", term.largest ? "max " : "", term.name,
                             terms_.size() > 1 && term.weight != 1 ? fmt::format("*{}", term.weight) : "");
    if (terms_.size() == 1) terms_.front().weight = 1;
    if (!condition_.empty()) text_ += " where " + condition_;
}

std::string objective::wanted() const
{
    return text_.substr(0, condition_.empty() ? std::string::npos : text_.size() - condition_.size() - 7);
}

std::vector<std::string> objective::quantities() const
{
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (name != time_quantity && std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const objective_term& term : terms_) add(term.name);
    if (allowed_)
        for (const std::string& name : allowed_->expression.names()) add(name);
    return names;
}

bool objective::is_time() const
{
    return terms_.size() == 1 && terms_.front().name == time_quantity;
}

bool objective::needs_energy() const
{
    return std::ranges::any_of(
        quantities(), [](const std::string& name) { return name == energy_quantity || name == power_quantity; });
}

bool objective::is_bounded_by_idle_power() const
{
    const auto one_of_both = [](const objective_term& term) {
        return term.name == time_quantity || term.name == energy_quantity;
    };
    return !is_time() && std::ranges::all_of(terms_, one_of_both);
}

std::optional<sample_summary> objective::cost(const measurement& measured) const
{
    if (is_time()) return measured.samples_ns.empty() ? std::nullopt : std::optional(summarise(measured.samples_ns));
    double weights = 0, middle = 0, low = 0, high = 0;
    std::size_t fewest = 0;
    for (const objective_term& term : terms_) {
        const std::optional<sample_summary> known = quantity_of(measured, term.name);
        if (!known || !is_quantity(known->low) || !is_quantity(known->high)) return std::nullopt;
        const double weight = term.weight, sign = term.largest ? -1 : 1;
        weights += weight;
        middle += weight * sign * std::log(known->median);
        low += weight * sign * std::log(term.largest ? known->high : known->low);
        high += weight * sign * std::log(term.largest ? known->low : known->high);
        fewest = fewest == 0 ? known->count : std::min(fewest, known->count);
    }
    return sample_summary{fewest, std::exp(middle / weights), std::exp(low / weights), std::exp(high / weights)};
}

bool objective::allows(const measurement& measured) const
{
    if (!allowed_) return true;
    assignment values;
    for (const std::string& name : allowed_->expression.names()) {
        const std::optional<sample_summary> known = quantity_of(measured, name);
        if (!known) return false;
        values.values.emplace_back(name, known->median);
    }
    const std::lock_guard guard(allowed_->lock);
    return allowed_->expression.truth(values);
}

std::optional<double> objective::cost_if_allowed(const measurement& measured) const
{
    if (measured.status != outcome::measured || !allows(measured)) return std::nullopt;
    const std::optional<sample_summary> known = cost(measured);
    return known ? std::optional(known->median) : std::nullopt;
}

objective objective_of(const run_info& run)
{
    return objective(run.objective);
}

std::optional<sample_summary> quantity_of(const measurement& measured, std::string_view name)
{
    if (name == time_quantity)
        return measured.samples_ns.empty() ? std::nullopt
                                           : std::optional(scaled(summarise(measured.samples_ns), 1 / ns_per_ms));
    const auto found = std::ranges::find(measured.quantities, name, &measured_quantity::name);
    if (found == measured.quantities.end() || found->samples.empty()) return std::nullopt;
    return summarise(found->samples);
}

std::vector<std::size_t> pareto_front(const std::vector<const measurement*>& candidates, const objective& goal)
{
    struct point {
        std::size_t number = 0;
        std::vector<double> values;  // of the terms; smaller is better
    };
    std::vector<point> points;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        point made{i, {}};
        for (const objective_term& term : goal.terms())
            if (const std::optional<double> value = value_of(*candidates[i], term)) made.values.push_back(*value);
        if (made.values.size() == goal.terms().size()) points.push_back(std::move(made));
    }
    // In this order only an earlier point can beat a later one, and only points on the front need comparing.
    std::ranges::stable_sort(points, {}, &point::values);
    std::vector<point> front;
    for (point& made : points) {
        const bool beaten = std::ranges::any_of(front, [&](const point& other) {
            return other.values != made.values && std::ranges::equal(other.values, made.values, std::less_equal<>());
        });
        if (!beaten) front.push_back(std::move(made));
    }
    std::vector<std::size_t> numbers;
    for (const point& made : front) numbers.push_back(made.number);
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace launchbox
