// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/tie_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace launchbox {

namespace {

struct words {
    tie_reason why;
    const char *shown, *name;
};
constexpr std::array<words, 4> all_words{{{tie_reason::baseline, "the baseline", "baseline"},
                                          {tie_reason::fewer_registers, "fewer registers", "fewer_registers"},
                                          {tie_reason::smaller_block, "smaller block", "smaller_block"},
                                          {tie_reason::smaller_values, "smaller values", "smaller_values"}}};

// Numbers by value, whatever their type; everything else as text.
bool is_smaller(const parameter_value& one, const parameter_value& other)
{
    const auto number = [](const parameter_value& value) -> std::optional<double> {
        if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
        if (const auto* fraction = std::get_if<double>(&value)) return *fraction;
        return std::nullopt;
    };
    const auto a = number(one), b = number(other);
    return a && b ? *a < *b : parameter_text(one) < parameter_text(other);
}

bool has_smaller_values(const assignment& one, const assignment& other)
{
    for (std::size_t i = 0; i < std::min(one.values.size(), other.values.size()); ++i) {
        const parameter_value &a = one.values[i].second, &b = other.values[i].second;
        if (is_smaller(a, b)) return true;
        if (is_smaller(b, a)) return false;
    }
    return one.values.size() < other.values.size();
}

// Keeps the candidates with the smallest value, if all values are known.
void keep_least(const std::vector<tied_candidate>& equals, std::optional<int> tied_candidate::*figure,
                tie_reason reason, std::vector<std::size_t>& left, tie_choice& choice)
{
    if (std::ranges::any_of(left, [&](std::size_t i) { return !(equals[i].*figure); })) return;
    const auto of = [&](std::size_t i) { return *(equals[i].*figure); };
    const int least = of(std::ranges::min(left, {}, of));
    if (std::erase_if(left, [&](std::size_t i) { return of(i) > least; }) > 0 && !choice.why) choice.why = reason;
}

}  // namespace

bool is_slower(const sample_summary& one, const sample_summary& other)
{
    return one.low > other.high * (1 + close_enough);
}

const char* words_of(tie_reason why)
{
    return std::ranges::find(all_words, why, &words::why)->shown;
}

const char* name_of(tie_reason why)
{
    return std::ranges::find(all_words, why, &words::why)->name;
}

tied_candidate tied(const stored_result& result, const sample_summary& time, bool is_baseline)
{
    tied_candidate candidate{.time = time, .is_baseline = is_baseline, .parameters = &result.parameters};
    if (!result.kernel) return candidate;
    candidate.registers = result.kernel->figures.registers;
    candidate.threads = result.kernel->launches.launch_threads;
    return candidate;
}

tie_choice choose_among_equals(const std::vector<tied_candidate>& equals)
{
    const sample_summary fastest =
        std::ranges::min(equals, {}, [](const tied_candidate& each) { return each.time.median; }).time;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < equals.size(); ++i)
        if (equals[i].time.median <= fastest.median * (1 + close_enough) ||
            (equals[i].is_baseline && !differs(equals[i].time, fastest)))
            left.push_back(i);
    tie_choice choice{.chosen = left.front(), .among = left.size()};
    if (left.size() == 1) return choice;
    if (const auto baseline = std::ranges::find_if(left, [&](std::size_t i) { return equals[i].is_baseline; });
        baseline != left.end()) {
        choice.chosen = *baseline;
        choice.why = tie_reason::baseline;
        return choice;
    }
    keep_least(equals, &tied_candidate::registers, tie_reason::fewer_registers, left, choice);
    keep_least(equals, &tied_candidate::threads, tie_reason::smaller_block, left, choice);
    choice.chosen = *std::ranges::min_element(left, [&](std::size_t a, std::size_t b) {
        return has_smaller_values(*equals[a].parameters, *equals[b].parameters);
    });
    if (!choice.why) choice.why = tie_reason::smaller_values;
    return choice;
}

bool is_preferred(const tied_candidate& one, const tied_candidate& other)
{
    if (one.is_baseline != other.is_baseline) return one.is_baseline;
    // Unknown figures come last, so that this is a total order.
    const auto figure = [](std::optional<int> known) { return known.value_or(std::numeric_limits<int>::max()); };
    const auto figures = [&](const tied_candidate& of) { return std::pair(figure(of.registers), figure(of.threads)); };
    if (figures(one) != figures(other)) return figures(one) < figures(other);
    return has_smaller_values(*one.parameters, *other.parameters);
}

std::string tie_text(const tie_choice& choice)
{
    if (!choice.why) return {};
    return fmt::format("chosen among {} equal ones: {}", choice.among, words_of(*choice.why));
}

}  // namespace launchbox
