// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "advice/model/kernel_question.hpp"
#include "report/charts/axis_scale.hpp"
#include "report/charts/chart_groups.hpp"
#include "report/charts/landscape_charts.hpp"
#include "report/tune/run_cells.hpp"
#include "tune/ranking/importance.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_tabs = 16, max_cells_a_side = 64;

/// A parameter with its values in a fixed order: numbers ascending, then words.
struct varying_parameter {
    std::string name;
    std::vector<parameter_value> values;
    double explained = 0;
};

// Parameters with at least two values among the measured candidates, in the candidates' order.
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

// The parameters across, down, and for the tabs.
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

// The part of the run with this workload alone.
recorded_run part_with(const shown_run& shown, const ranking& workload)
{
    const std::string wanted = identity_of(workload.workload);
    recorded_run part{shown.run.number, shown.run.info, {}, {}};
    for (const stored_result& result : shown.run.results)
        if (identity_of(result.workload) == wanted) part.results.push_back(result);
    for (const race_result_info& race : shown.run.races)
        if (identity_of(race.workload) == wanted) part.races.push_back(race);
    return part;
}

void add_surfaces(const recorded_run& run, const surface_axes& axes, bool tabs, chart_group& into)
{
    // By its full name, since another field may have the same short name.
    const auto name_of = [](const varying_parameter* one) { return "parameters." + one->name; };
    landscape_request request{.axes = {name_of(axes.x), name_of(axes.y)}, .by = std::vector<std::string>()};
    if (tabs) request.by->push_back(name_of(axes.tabs));
    const landscape_report report{.found = {}, .drawn = landscape_of({{&run, ""}}, request), .unit = "ms"};
    for (const landscape_map& map : report.drawn.maps) {
        const std::string value = tabs ? map_title(report, map) : "";
        std::optional<chart> drawn =
            landscape_chart(report, map, tabs ? "surface-" + chart_id(parameter_text(map.by)) : std::string("surface"));
        if (!drawn) continue;
        drawn->title = into.title + (value.empty() ? "" : ", " + value);
        into.charts.push_back(std::move(*drawn));
        into.tabs.push_back(tabs ? value : "all " + escape_for_terminal(axes.tabs != nullptr ? axes.tabs->name : ""));
    }
}

}  // namespace

std::optional<chart_group> parameter_surfaces(const shown_run& shown, const ranking& workload)
{
    const std::vector<varying_parameter> parameters = varying_parameters(shown.run.results, workload);
    const surface_axes axes = axes_of(parameters);
    if (axes.x == nullptr || axes.y == nullptr) return std::nullopt;
    const recorded_run part = part_with(shown, workload);
    chart_group group{
        "surface",
        fmt::format("Time over {} and {}", escape_for_terminal(axes.x->name), escape_for_terminal(axes.y->name)),
        "",
        {}};
    add_surfaces(part, axes, false, group);
    for (const chart& drawn : group.charts) {
        const auto& heat = std::get<heat_chart>(drawn.content);
        if (heat.columns.size() > max_cells_a_side || heat.rows.size() > max_cells_a_side) return std::nullopt;
    }
    if (group.charts.empty()) return std::nullopt;
    if (axes.tabs == nullptr || axes.tabs->values.size() > max_tabs)
        group.tabs.clear();
    else
        add_surfaces(part, axes, true, group);
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
        at_most = at_most || question->at_most();
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
    if (at_most) text += " If the size of shared memory is not known, occupancy is an upper limit.";
    return chart_group{
        "occupancy", "Occupancy against time", "", {{"occupancy", "Occupancy against time", text, std::move(drawn)}}};
}

}  // namespace launchbox
