// Points, lines and bars over two axes, as SVG.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts/axis_scale.hpp"
#include "report/charts/chart_svg.hpp"
#include "report/charts/svg_writer.hpp"

namespace launchbox::svg {

namespace {

constexpr double right = 20, top = 14, plot_height = 300, row_height = 26, line_height = 15;
// Beyond this many points, no text per point is written: the file would be many times as large.
constexpr std::size_t max_labelled_points = 2000;

struct plot {
    axis_scale x, y;
    box area;
    bool x_named = false, y_named = false;  // the axis has categories

    [[nodiscard]] double at_x(double value) const { return area.x + x.place(value) * area.width; }
    // Categories run from top to bottom.
    [[nodiscard]] double at_y(double value) const
    {
        return y_named ? area.y + y.place(value) * area.height : area.y + area.height - y.place(value) * area.height;
    }
};

axis_scale scale_for(const xy_chart& drawn, bool is_x)
{
    const chart_axis& axis = is_x ? drawn.x : drawn.y;
    if (!axis.categories.empty()) return {-0.5, static_cast<double>(axis.categories.size()) - 0.5, false};
    std::vector<double> values;
    // Intervals lie along the value axis, which is x if categories are on the y axis.
    const bool with_intervals = is_x == !drawn.y.categories.empty();
    for (const chart_series& series : drawn.series) {
        const std::vector<double>& places = is_x ? series.x : series.y;
        values.insert(values.end(), places.begin(), places.end());
        if (!with_intervals) continue;
        values.insert(values.end(), series.low.begin(), series.low.end());
        values.insert(values.end(), series.high.begin(), series.high.end());
    }
    for (const chart_mark& mark : drawn.marks)
        if (mark.at_y != is_x) values.push_back(mark.at);
    return scale_of(values, axis.logarithmic, axis.from_zero);
}

void add_axes(const xy_chart& drawn, const plot& on, std::string& svg)
{
    const double bottom = on.area.y + on.area.height, left = on.area.x;
    if (on.y_named) {
        for (std::size_t i = 0; i < drawn.y.categories.size(); ++i)
            add_text(svg, left - 8, on.at_y(static_cast<double>(i)) + 4, fitted(drawn.y.categories[i], left - 12),
                     anchor::end);
    } else {
        const std::vector<double> ticks = ticks_of(on.y, 6);
        const std::vector<std::string> texts = tick_texts(ticks);
        double last = 1e9;
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            const double y = on.at_y(ticks[i]);
            add_line(svg, left, y, left + on.area.width, y, "grid");
            if (last - y < line_height) continue;
            last = y;
            add_text(svg, left - 8, y + 4, texts[i], anchor::end, "class=\"faint\"");
        }
        svg += fmt::format(
            "<text class=\"faint\" transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">"
            "{}</text>",
            on.area.y + on.area.height / 2, markup_text(drawn.y.title));
    }
    add_line(svg, left, bottom, left + on.area.width, bottom, "axis");
    if (on.x_named) {
        const double each = on.area.width / static_cast<double>(drawn.x.categories.size());
        // As many names as fit.
        double widest = 0;
        for (const std::string& name : drawn.x.categories) widest = std::max(widest, text_width(name) + 8);
        const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(std::min(widest, 110.0) / each)));
        for (std::size_t i = 0; i < drawn.x.categories.size(); i += step)
            add_text(svg, on.at_x(static_cast<double>(i)), bottom + 18,
                     fitted(drawn.x.categories[i], each * static_cast<double>(step)), anchor::middle,
                     "class=\"faint\"");
    } else {
        double last = -1e9;
        const std::vector<double> ticks = ticks_of(on.x, 8);
        const std::vector<std::string> texts = tick_texts(ticks);
        for (std::size_t i = 0; i < ticks.size(); ++i) {
            const double tick = ticks[i];
            const std::string& text = texts[i];
            add_line(svg, on.at_x(tick), on.area.y, on.at_x(tick), bottom, "grid");
            if (on.at_x(tick) - text_width(text) / 2 < last) continue;
            last = on.at_x(tick) + text_width(text) / 2 + 6;
            add_text(svg, on.at_x(tick), bottom + 18, text, anchor::middle, "class=\"faint\"");
        }
    }
    add_text(svg, left + on.area.width / 2, bottom + 38, drawn.x.title, anchor::middle, "class=\"faint\"");
}

// Along the value axis.
void add_interval(const chart_series& series, std::size_t i, const plot& on, std::string_view css_class,
                  std::string& svg)
{
    if (series.low.empty() || !std::isfinite(series.low[i]) || !std::isfinite(series.high[i])) return;
    const double x = on.at_x(series.x[i]), y = on.at_y(series.y[i]);
    if (on.y_named)
        add_line(svg, on.at_x(series.low[i]), y, on.at_x(series.high[i]), y, css_class);
    else
        add_line(svg, x, on.at_y(series.low[i]), x, on.at_y(series.high[i]), css_class);
}

void add_points(const chart_series& series, const plot& on, int colour, bool labelled, std::string& svg)
{
    const std::string css_class = fmt::format("c{}", colour);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        const double x = on.at_x(series.x[i]), y = on.at_y(series.y[i]);
        if (!std::isfinite(x) || !std::isfinite(y)) continue;
        add_interval(series, i, on, css_class, svg);
        svg += fmt::format(R"(<circle class="dot c{}" cx="{:.2f}" cy="{:.2f}" r="{}")", colour, x, y,
                           series.strong ? 6
                           : labelled    ? 3.2
                                         : 2);
        if (labelled && !series.labels.empty())
            svg += fmt::format("><title>{}</title></circle>", markup_text(series.labels[i]));
        else
            svg += "/>";
    }
}

void add_bars(const chart_series& series, const plot& on, int colour, std::string& svg)
{
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        // With categories on the y axis, bars grow to the right.
        const double value = on.y_named ? series.x[i] : series.y[i];
        std::string shape;
        if (on.y_named) {
            const double from = on.at_x(std::max(on.x.low, 0.0)), to = on.at_x(value);
            shape = fmt::format(R"(x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}")", std::min(from, to),
                                on.at_y(series.y[i]) - row_height * 0.32, std::abs(to - from), row_height * 0.64);
        } else {
            const double from = on.at_y(std::max(on.y.low, 0.0)), to = on.at_y(value);
            shape = fmt::format(R"(x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}")", on.at_x(series.x[i]) - 9,
                                std::min(from, to), 18.0, std::abs(to - from));
        }
        svg += fmt::format(R"(<rect class="dot c{}" {}><title>{}</title></rect>)", colour, shape,
                           markup_text(series.labels.empty() ? number_text(value) : series.labels[i]));
        add_interval(series, i, on, "axis", svg);
    }
}

void add_path(const chart_series& series, const plot& on, int colour, std::string& svg)
{
    if (series.x.empty()) return;
    svg += fmt::format(R"(<path class="line c{}" d=")", colour);
    double previous = 0;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        const double x = on.at_x(series.x[i]), y = on.at_y(series.y[i]);
        if (i > 0 && series.look == series_look::steps) svg += fmt::format("L{:.2f} {:.2f}", x, previous);
        svg += fmt::format("{}{:.2f} {:.2f}", i == 0 ? 'M' : 'L', x, y);
        previous = y;
    }
    svg += "\"/>";
}

void add_marks(const xy_chart& drawn, const plot& on, std::string& svg)
{
    for (const chart_mark& mark : drawn.marks) {
        if (mark.at_y) {
            const double y = on.at_y(mark.at);
            add_line(svg, on.area.x, y, on.area.x + on.area.width, y, "mark");
            add_text(svg, on.area.x + on.area.width - 4, y - 5, mark.text, anchor::end, "class=\"small\"");
            continue;
        }
        const double x = on.at_x(mark.at);
        add_line(svg, x, on.area.y, x, on.area.y + on.area.height, "mark");
        const bool at_right = x + text_width(mark.text) + 6 > on.area.x + on.area.width;
        add_text(svg, x + (at_right ? -6 : 6), on.area.y - (on.y_named ? 3 : -10), mark.text,
                 at_right ? anchor::end : anchor::start, "class=\"small\"");
    }
}

}  // namespace

double draw(const xy_chart& drawn, std::string& svg)
{
    plot on{
        scale_for(drawn, true), scale_for(drawn, false), {}, !drawn.x.categories.empty(), !drawn.y.categories.empty()};
    double left = 72;
    for (const std::string& name : drawn.y.categories) left = std::max(left, text_width(name) + 16);
    left = std::min(left, 300.0);
    const bool legend = drawn.series.size() > 1;
    const double start = top + (legend ? 20 : 0);
    const double height = on.y_named ? row_height * static_cast<double>(drawn.y.categories.size()) + 8 : plot_height;
    on.area = {left, start, picture_width - left - right, height};
    if (legend) {
        double x = left;
        for (std::size_t i = 0; i < drawn.series.size(); ++i) {
            const double room = text_width(drawn.series[i].name) + 26;
            if (x + room > picture_width) break;
            svg += fmt::format(R"(<rect class="dot c{}" x="{:.1f}" y="4" width="12" height="10"/>)", i % 6, x);
            add_text(svg, x + 17, 13, drawn.series[i].name);
            x += room + 6;
        }
    }
    svg += fmt::format(R"(<g class="plot" data-x="{}" data-y="{}" data-width="{}" data-height="{}")", on.area.x,
                       on.area.y, on.area.width, on.area.height);
    svg += fmt::format(R"( data-x-low="{}" data-x-high="{}" data-y-low="{}" data-y-high="{}")", on.x.low, on.x.high,
                       on.y.low, on.y.high);
    svg += fmt::format(R"( data-x-logarithmic="{}" data-y-logarithmic="{}">)", on.x.logarithmic ? 1 : 0,
                       on.y.logarithmic ? 1 : 0);
    add_axes(drawn, on, svg);
    std::size_t points = 0;
    for (const chart_series& series : drawn.series) points += series.x.size();
    for (std::size_t i = 0; i < drawn.series.size(); ++i) {
        const chart_series& series = drawn.series[i];
        const int colour = static_cast<int>(i % 6);
        svg += fmt::format(R"(<g class="series" data-name="{}">)", markup_text(series.name));
        if (series.look == series_look::bars)
            add_bars(series, on, colour, svg);
        else if (series.look == series_look::dots)
            add_points(series, on, colour, points <= max_labelled_points || series.strong, svg);
        else
            add_path(series, on, colour, svg);
        svg += "</g>";
    }
    add_marks(drawn, on, svg);
    svg += "</g>";
    return start + height + 50;
}

}  // namespace launchbox::svg
