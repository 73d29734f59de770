// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "advice/model/kernel_question.hpp"
#include "report/charts/axis_scale.hpp"
#include "report/charts/chart_groups.hpp"
#include "report/core/count_text.hpp"
#include "report/tune/run_cells.hpp"
#include "support/text/rounded_number.hpp"
#include "tune/ranking/importance.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_tabs = 16, max_cells_a_side = 64;

/// A parameter with its values in a fixed order: numbers rising, then words.
struct varying_parameter {
    std::string name;
    std::vector<parameter_value> values;
    double explained = 0;

    [[nodiscard]] std::size_t place(const assignment& candidate) const
    {
        const parameter_value* value = candidate.find(name);
        for (std::size_t i = 0; value != nullptr && i < values.size(); ++i)
            if (values[i] == *value) return i;
        return values.size();
    }
    [[nodiscard]] std::vector<std::string> names() const
    {
        std::vector<std::string> texts;
        for (const parameter_value& value : values) texts.push_back(escape_for_terminal(parameter_text(value)));
        return texts;
    }
};

std::optional<double> number_of(const parameter_value& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* fraction = std::get_if<double>(&value)) return *fraction;
    return std::nullopt;
}

bool stands_before(const parameter_value& one, const parameter_value& other)
{
    const std::optional<double> first = number_of(one), second = number_of(other);
    if (first && second) return *first < *second;
    if (first || second) return first.has_value();
    return parameter_text(one) < parameter_text(other);
}

// Those with at least two values among the measured candidates, in the order of the candidates.
std::vector<varying_parameter> varying_parameters(const std::vector<stored_result>& results, const ranking& workload)
{
    std::vector<varying_parameter> found;
    for (const ranked_candidate& candidate : workload.candidates)
        for (const auto& [name, value] : results[candidate.result].parameters.values) {
            auto at = std::find_if(found.begin(), found.end(),
                                   [&, &wanted = name](const varying_parameter& one) { return one.name == wanted; });
            if (at == found.end()) at = found.insert(found.end(), {name, {}});
            if (std::find(at->values.begin(), at->values.end(), value) == at->values.end()) at->values.push_back(value);
        }
    std::erase_if(found, [](const varying_parameter& one) { return one.values.size() < 2; });
    const importance matters = importance_of(results, workload);
    for (varying_parameter& one : found) {
        std::sort(one.values.begin(), one.values.end(), stands_before);
        for (const parameter_importance& known : matters.singles)
            if (known.parameters.front() == one.name) one.explained = known.explained;
    }
    return found;
}

// Which parameter is across, which is down, and which makes the tabs.
struct surface_axes {
    const varying_parameter *x = nullptr, *y = nullptr, *tabs = nullptr;
};

surface_axes axes_of(const std::vector<varying_parameter>& parameters)
{
    const auto named = [&](const char* name) -> const varying_parameter* {
        for (const varying_parameter& one : parameters)
            if (one.name == name) return &one;
        return nullptr;
    };
    surface_axes axes{named("threads"), named("items"), named("min_blocks")};
    std::vector<const varying_parameter*> rest;
    for (const varying_parameter& one : parameters)
        if (&one != axes.x && &one != axes.y && &one != axes.tabs) rest.push_back(&one);
    std::stable_sort(rest.begin(), rest.end(),
                     [](const auto* one, const auto* other) { return one->explained > other->explained; });
    for (const varying_parameter* one : rest) {
        const bool fits = one->values.size() <= max_cells_a_side;
        if (axes.x == nullptr && fits)
            axes.x = one;
        else if (axes.y == nullptr && fits)
            axes.y = one;
        else if (axes.tabs == nullptr && one->values.size() <= max_tabs)
            axes.tabs = one;
    }
    return axes;
}

chart surface_chart(const std::vector<stored_result>& results, const ranking& workload, const surface_axes& axes,
                    std::optional<std::size_t> tab)
{
    heat_chart drawn{escape_for_terminal(axes.x->name),
                     escape_for_terminal(axes.y->name),
                     "ms",
                     axes.x->names(),
                     axes.y->names(),
                     {},
                     {}};
    drawn.values.assign(drawn.rows.size(), std::vector<std::optional<double>>(drawn.columns.size()));
    drawn.texts.assign(drawn.rows.size(), std::vector<std::string>(drawn.columns.size()));
    double best = 0;
    for (const ranked_candidate& candidate : workload.candidates) {
        const assignment& parameters = results[candidate.result].parameters;
        if (tab && axes.tabs->place(parameters) != *tab) continue;
        const std::size_t row = axes.y->place(parameters), column = axes.x->place(parameters);
        if (row >= drawn.rows.size() || column >= drawn.columns.size()) continue;
        std::optional<double>& value = drawn.values[row][column];
        const double ms = candidate.time.median / 1e6;
        if (value && *value <= ms) continue;
        value = ms;
        drawn.texts[row][column] = in_three_digits(ms);
        if (!drawn.marked || ms < best) {
            best = ms;
            drawn.marked = {row, column};
        }
    }
    const std::string title = fmt::format("Time over {} and {}", drawn.x_title, drawn.y_title);
    std::string id = "surface", name = title;
    if (tab) {
        const std::string value = axes.tabs->names()[*tab];
        id += "-" + chart_id(axes.tabs->name + "-" + value);
        name += fmt::format(", {} = {}", escape_for_terminal(axes.tabs->name), value);
    }
    return {
        id, name,
        "Milliseconds, the fastest candidate of each cell over all other parameters. An empty cell was not measured: "
        "rejected, failed, or not tried. The frame marks the fastest.",
        std::move(drawn)};
}

}  // namespace

std::optional<chart_group> parameter_surfaces(const std::vector<stored_result>& results, const ranking& workload)
{
    const std::vector<varying_parameter> parameters = varying_parameters(results, workload);
    const surface_axes axes = axes_of(parameters);
    if (axes.x == nullptr || axes.y == nullptr) return std::nullopt;
    if (axes.x->values.size() > max_cells_a_side || axes.y->values.size() > max_cells_a_side) return std::nullopt;
    chart_group group{
        "surface",
        fmt::format("Time over {} and {}", escape_for_terminal(axes.x->name), escape_for_terminal(axes.y->name)),
        "",
        {}};
    group.charts.push_back(surface_chart(results, workload, axes, std::nullopt));
    if (axes.tabs == nullptr || axes.tabs->values.size() > max_tabs) return group;
    group.tabs.push_back("all " + escape_for_terminal(axes.tabs->name));
    for (std::size_t i = 0; i < axes.tabs->values.size(); ++i) {
        group.charts.push_back(surface_chart(results, workload, axes, i));
        group.tabs.push_back(fmt::format("{} = {}", escape_for_terminal(axes.tabs->name), axes.tabs->names()[i]));
    }
    return group;
}

std::optional<chart_group> occupancy_and_time(const std::vector<stored_result>& results, const ranking& workload)
{
    chart_series all{.name = "candidates", .look = series_look::dots, .x = {}, .y = {}};
    chart_series best{.name = "winner", .look = series_look::dots, .x = {}, .y = {}, .strong = true};
    bool at_most = false;
    for (std::size_t place = 0; place < workload.candidates.size(); ++place) {
        const ranked_candidate& candidate = workload.candidates[place];
        const stored_result& result = results[candidate.result];
        if (!result.kernel || candidate.same_as) continue;
        std::optional<int> threads;
        if (const parameter_value* value = result.parameters.find("threads"))
            if (const auto* integer = std::get_if<std::int64_t>(value); integer && *integer > 0 && *integer <= 1024)
                threads = static_cast<int>(*integer);
        const std::optional<occupancy_question> question = question_for(*result.kernel, threads);
        if (!question) continue;
        at_most = at_most || !question->dynamic_shared_known;
        const occupancy_result answer =
            occupancy(*question->limits, question->resources, question->shape, question->settings);
        const bool wins = workload.decided && workload.decided->winner == place;
        chart_series& to = wins ? best : all;
        to.x.push_back(answer.occupancy() * 100);
        to.y.push_back(candidate.time.median / 1e6);
        to.labels.push_back(fmt::format("{}: {:.0f} % ({} of {} warps), {:.4g} ms", names_of(result.parameters),
                                        answer.occupancy() * 100, answer.resident_warps, answer.warp_slots,
                                        candidate.time.median / 1e6));
    }
    if (all.x.empty() && best.x.empty()) return std::nullopt;
    xy_chart drawn{{.title = "occupancy, %", .from_zero = true}, {.title = "time, ms", .logarithmic = true}};
    drawn.series.push_back(std::move(all));
    if (!best.x.empty()) drawn.series.push_back(std::move(best));
    std::string text =
        "High occupancy does not always mean a short time: more resident warps hide latency, but leave each thread "
        "fewer registers and less shared memory. A kernel with enough independent work in each thread can be the "
        "fastest at low occupancy.";
    if (at_most) text += " If the size of dynamic shared memory is not known, occupancy is an upper limit.";
    return chart_group{
        "occupancy", "Occupancy against time", "", {{"occupancy", "Occupancy against time", text, std::move(drawn)}}};
}

}  // namespace launchbox
