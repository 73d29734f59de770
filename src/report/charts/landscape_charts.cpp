// SPDX-License-Identifier: Apache-2.0
#include "report/charts/landscape_charts.hpp"

#include "report/charts/run_charts.hpp"

namespace launchbox {

namespace {

// With more columns than this, no text fits into a cell.
constexpr std::size_t few_columns = 14;

std::string unit_title(const landscape_unit& unit)
{
    return unit.what == landscape_unit::kind::share ? "% of the best" : name_of(unit);
}

heat_chart heat_of(const landscape_report& report, const landscape_map& map, const landscape_unit& unit,
                   const std::vector<landscape_cell_text>& texts)
{
    const bool transposed = reads_better_transposed(map, few_columns);
    const std::size_t x = transposed ? 1 : 0, y = 1 - x;
    heat_chart drawn{.x_title = escape_for_terminal(report.drawn.axes[x].name),
                     .y_title = escape_for_terminal(report.drawn.axes[y].name),
                     .value_title = unit_title(unit),
                     .columns = axis_names(map, x),
                     .rows = axis_names(map, y),
                     .values = {},
                     .texts = {},
                     .less_is_better = unit.what == landscape_unit::kind::ms};
    drawn.values.assign(drawn.rows.size(), std::vector<std::optional<double>>(drawn.columns.size()));
    drawn.texts.assign(drawn.rows.size(), std::vector<std::string>(drawn.columns.size(), "–"));
    drawn.notes.assign(drawn.rows.size(), std::vector<std::string>(drawn.columns.size(), "not tried"));
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const std::size_t row = map.cells[i].at[y], column = map.cells[i].at[x];
        drawn.values[row][column] = texts[i].number;
        // The frame marks the best already.
        std::string sign = texts[i].sign;
        if (sign.starts_with('*')) drawn.marked.emplace_back(row, column);
        if (!texts[i].value.empty()) std::erase(sign, '*');
        drawn.texts[row][column] = texts[i].value + sign;
        drawn.notes[row][column] = texts[i].note;
    }
    drawn.legend = sign_legend({texts});
    std::erase_if(drawn.legend, [](const std::string& line) { return line.starts_with('*'); });
    return drawn;
}

xy_chart bars_of(const landscape_report& report, const landscape_map& map, const landscape_unit& unit,
                 const std::vector<landscape_cell_text>& texts)
{
    xy_chart drawn{{.title = unit_title(unit), .from_zero = true}, {}};
    const std::vector<std::string> names = axis_names(map, 0);
    const std::string axis = escape_for_terminal(report.drawn.axes.front().name);
    chart_series bars{.name = "the fastest of each value", .look = series_look::bars, .x = {}, .y = {}};
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const landscape_cell& cell = map.cells[i];
        const std::string name = axis + " = " + names[cell.at[0]];
        if (!texts[i].number) continue;
        const landscape_candidate& best = map.sections[cell.section].candidates[*cell.best];
        const double number = *texts[i].number;
        // All units are derived from the time or its inverse.
        const bool inverse = unit.what != landscape_unit::kind::ms;
        const sample_summary& time = best.time ? *best.time : best.relative;
        const double low = time.low > 0 ? time.median / time.low : 1,
                     high = time.high > 0 ? time.median / time.high : 1;
        bars.x.push_back(number);
        bars.low.push_back(inverse ? number * high : number / low);
        bars.high.push_back(inverse ? number * low : number / high);
        bars.y.push_back(static_cast<double>(drawn.y.categories.size()));
        bars.labels.push_back(name + ": " + texts[i].note);
        drawn.y.categories.push_back(name + (best.is_winner ? ", the best" : ""));
    }
    drawn.series.push_back(std::move(bars));
    return drawn;
}

}  // namespace

std::optional<chart> landscape_chart(const landscape_report& report, const landscape_map& map, const std::string& id)
{
    const std::optional<landscape_unit> unit = unit_of(report, map);
    if (!unit || report.drawn.axes.empty() || map.cells.empty()) return std::nullopt;
    const std::vector<landscape_cell_text> texts = cell_texts(report, map);
    const std::string by = map_title(report, map);
    std::string title;
    for (const landscape_field& axis : report.drawn.axes)
        title += (title.empty() ? "" : " and ") + escape_for_terminal(axis.name);
    std::string about = map_text(report, map, reads_better_transposed(map, few_columns)) + ".";
    about.front() = 'T';  // "the fastest" begins a sentence
    chart made{.id = id, .title = title + (by.empty() ? "" : ": " + by), .text = about, .content = xy_chart()};
    if (report.drawn.axes.size() == 2) {
        heat_chart heat = heat_of(report, map, *unit, texts);
        if (!heat.marked.empty()) made.text += " The frame marks the best.";
        made.content = std::move(heat);
    } else {
        made.content = bars_of(report, map, *unit, texts);
    }
    if (const auto* bars = std::get_if<xy_chart>(&made.content); bars != nullptr && bars->y.categories.empty())
        return std::nullopt;
    return made;
}

std::vector<chart> landscape_charts(const landscape_report& report)
{
    check_size(report);
    std::string axes;
    for (const landscape_field& axis : report.drawn.axes) axes += "-" + axis.name;
    std::vector<chart> charts;
    for (const landscape_map& map : report.drawn.maps)
        if (std::optional<chart> drawn =
                landscape_chart(report, map, chart_id("map" + axes + "-" + parameter_text(map.by))))
            charts.push_back(std::move(*drawn));
    return charts;
}

}  // namespace launchbox
