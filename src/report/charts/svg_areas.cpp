// Heat maps, parallel coordinates and tree maps as SVG.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/charts/axis_scale.hpp"
#include "report/charts/chart_svg.hpp"
#include "report/charts/svg_writer.hpp"

namespace launchbox::svg {

namespace {

constexpr double cell_height = 24, legend_height = 30;

struct value_range {
    double low = 0, high = 1;
    bool less_is_better = true;

    // 0 is drawn darkest: the best. Where the worst is many times the best, colours follow the ratio, or all but the
    // worst would look alike.
    [[nodiscard]] double part(double value) const
    {
        double place = high > low ? (value - low) / (high - low) : 0;
        if (less_is_better && low > 0 && high > 4 * low) place = std::log(value / low) / std::log(high / low);
        return less_is_better ? place : 1 - place;
    }
};

value_range range_of(const heat_chart& drawn)
{
    value_range range{0, 1, drawn.less_is_better};
    bool any = false;
    for (const auto& row : drawn.values)
        for (const std::optional<double>& value : row) {
            if (!value) continue;
            range.low = any ? std::min(range.low, *value) : *value;
            range.high = any ? std::max(range.high, *value) : *value;
            any = true;
        }
    return range;
}

void add_legend(const std::string& title, const std::string& best, const std::string& worst, double y, std::string& svg)
{
    constexpr double steps = 20, width = 8;
    double x = 24 + text_width(title);
    add_text(svg, 12, y + 11, title, anchor::start, "class=\"faint\"");
    add_text(svg, x, y + 11, best, anchor::start, "class=\"faint\"");
    x += text_width(best) + 6;
    for (int i = 0; i < static_cast<int>(steps); ++i)
        svg += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" fill="{}"/>)", x + width * i, y,
                           width + 0.5, shade_of(i / (steps - 1)).colour);
    add_text(svg, x + width * steps + 6, y + 11, worst, anchor::start, "class=\"faint\"");
}

// Areas side by side along the longer edge of what is left, as square as they get (Bruls, Huizing, van Wijk, 2000).
void place_squarely(std::vector<double> sizes, box room, std::vector<box>& placed)
{
    const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    const double scale = total > 0 ? room.width * room.height / total : 0;
    for (double& size : sizes) size *= scale;
    const auto worst = [](double sum, double least, double largest, double edge) {
        if (sum <= 0 || least <= 0 || edge <= 0) return 1e30;
        return std::max(edge * edge * largest / (sum * sum), sum * sum / (edge * edge * least));
    };
    for (std::size_t start = 0; start < sizes.size();) {
        const double edge = std::min(room.width, room.height);
        double sum = sizes[start], least = sum, largest = sum;
        std::size_t end = start + 1;
        while (end < sizes.size()) {
            const double next = sizes[end];
            if (worst(sum + next, std::min(least, next), std::max(largest, next), edge) >
                worst(sum, least, largest, edge))
                break;
            sum += next;
            least = std::min(least, next);
            largest = std::max(largest, next);
            ++end;
        }
        const double thick = edge > 0 ? sum / edge : 0;
        double along = 0;
        for (std::size_t i = start; i < end; ++i) {
            const double length = thick > 0 ? sizes[i] / thick : 0;
            if (room.width >= room.height)
                placed.push_back({room.x, room.y + along, thick, length});
            else
                placed.push_back({room.x + along, room.y, length, thick});
            along += length;
        }
        if (room.width >= room.height) {
            room.x += thick;
            room.width -= thick;
        } else {
            room.y += thick;
            room.height -= thick;
        }
        start = end;
    }
}

double sum_of(const tree_chart::node& node)
{
    if (node.children.empty()) return node.value;
    double sum = 0;
    for (const auto& child : node.children) sum += sum_of(child);
    return sum;
}

void add_area(const tree_chart::node& node, const box& room, int depth, int colour, std::string& svg)
{
    if (room.width < 1 || room.height < 1) return;
    svg +=
        fmt::format(R"(<g><title>{}</title><rect class="area c{}" data-value="{}" x="{:.2f}" y="{:.2f}")",
                    markup_text(node.label.empty() ? node.name : node.label), colour % 6, sum_of(node), room.x, room.y);
    svg += fmt::format(R"( width="{:.2f}" height="{:.2f}" fill-opacity="{}"/>)", room.width, room.height,
                       depth == 0              ? "0"
                       : node.children.empty() ? "0.28"
                                               : "0.12");
    const bool named = depth > 0 && room.width > 34 && room.height > 15;
    if (named)
        add_text(svg, room.x + 4, room.y + 12, fitted(node.name, room.width - 6), anchor::start, "class=\"small\"");
    if (!node.children.empty() && depth < 4) {
        const double head = depth > 0 ? (named ? 16 : 2) : 0, edge = depth > 0 ? 2 : 0;
        const box inner{room.x + edge, room.y + head, room.width - 2 * edge, room.height - head - edge};
        std::vector<const tree_chart::node*> children;
        for (const auto& child : node.children) children.push_back(&child);
        std::stable_sort(children.begin(), children.end(),
                         [](const auto* one, const auto* other) { return sum_of(*one) > sum_of(*other); });
        std::vector<double> sizes;
        for (const auto* child : children) sizes.push_back(std::max(0.0, sum_of(*child)));
        std::vector<box> placed;
        if (inner.width > 0 && inner.height > 0) place_squarely(sizes, inner, placed);
        for (std::size_t i = 0; i < placed.size(); ++i)
            add_area(*children[i], placed[i], depth + 1, depth == 0 ? static_cast<int>(i) : colour, svg);
    }
    svg += "</g>";
}

}  // namespace

double draw(const heat_chart& drawn, std::string& svg)
{
    double left = 40;
    for (const std::string& name : drawn.rows) left = std::max(left, text_width(name) + 40);
    left = std::min(left, 240.0);
    constexpr double top = 26;
    const auto count = static_cast<double>(std::max<std::size_t>(1, drawn.columns.size()));
    const double width = std::min(96.0, (picture_width - left - 16) / count);
    const value_range range = range_of(drawn);
    for (std::size_t c = 0; c < drawn.columns.size(); ++c) {
        const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(26 / width)));
        if (c % every == 0)
            add_text(svg, left + width * (static_cast<double>(c) + 0.5), top - 6,
                     fitted(drawn.columns[c], width * static_cast<double>(every)), anchor::middle, "class=\"faint\"");
    }
    for (std::size_t r = 0; r < drawn.rows.size(); ++r) {
        const double y = top + cell_height * static_cast<double>(r);
        add_text(svg, left - 8, y + 16, fitted(drawn.rows[r], left - 36), anchor::end, "class=\"faint\"");
        for (std::size_t c = 0; c < drawn.columns.size(); ++c) {
            const std::optional<double>& value = drawn.values[r][c];
            if (!value) continue;
            const shade look = shade_of(range.part(*value));
            const double x = left + width * static_cast<double>(c);
            svg += fmt::format(R"(<g class="cell" data-value="{}"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}")", *value,
                               x, y, width - 1);
            svg += fmt::format(R"( height="{:.1f}" fill="{}"/><title>{}</title>)", cell_height - 1, look.colour,
                               markup_text(fmt::format("{} {}, {} {}: {}", drawn.y_title, drawn.rows[r], drawn.x_title,
                                                       drawn.columns[c], drawn.texts[r][c])));
            if (text_width(drawn.texts[r][c]) < width)
                add_text(svg, x + width / 2 - 0.5, y + 16, drawn.texts[r][c], anchor::middle,
                         look.white_text ? "class=\"small white\"" : "class=\"small black\"");
            svg += "</g>";
        }
    }
    if (drawn.marked)
        svg += fmt::format(R"(<rect class="chosen" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                           left + width * static_cast<double>(drawn.marked->second),
                           top + cell_height * static_cast<double>(drawn.marked->first), width - 1, cell_height - 1);
    double y = top + cell_height * static_cast<double>(drawn.rows.size()) + 16;
    svg += fmt::format(
        "<text class=\"faint\" transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">"
        "{}</text>",
        top + (y - top) / 2, markup_text(drawn.y_title));
    add_text(svg, left, y + 4, drawn.x_title + " →", anchor::start, "class=\"faint\"");
    y += 18;
    const double best = drawn.less_is_better ? range.low : range.high;
    const double worst = drawn.less_is_better ? range.high : range.low;
    add_legend(drawn.value_title, number_text(best), number_text(worst), y, svg);
    return y + legend_height;
}

double draw(const parallel_chart& drawn, std::string& svg)
{
    constexpr double left = 60, top = 64, height = 300;
    const auto axes = drawn.axes.size();
    const auto at_x = [&](std::size_t i) {
        return axes < 2 ? picture_width / 2
                        : left + (picture_width - 2 * left) * static_cast<double>(i) / static_cast<double>(axes - 1);
    };
    const auto at_y = [&](std::size_t axis, std::size_t place) {
        const std::size_t values = drawn.axes[axis].values.size();
        return values < 2 ? top + height / 2
                          : top + height - height * static_cast<double>(place) / static_cast<double>(values - 1);
    };
    // Lines through the same value lie side by side, the best on top: with few values they would hide each other.
    const auto apart = [&](std::size_t axis, double value) {
        const auto values = static_cast<double>(std::max<std::size_t>(2, drawn.axes[axis].values.size()));
        return (value - 0.5) * std::min(60.0, 0.6 * height / (values - 1));
    };
    for (const auto& line : drawn.lines) {
        // The darkest shades are hard to see on a dark page.
        svg += fmt::format(R"(<polyline class="thread{}" stroke="{}" points=")", line.strong ? " strong" : "",
                           line.strong ? "#ff8c1a" : shade_of(0.15 + 0.85 * line.value).colour);
        for (std::size_t i = 0; i < axes; ++i)
            svg += fmt::format("{:.1f},{:.1f} ", at_x(i), at_y(i, line.at[i]) + apart(i, line.value));
        svg += fmt::format("\"><title>{}</title></polyline>", markup_text(line.label));
    }
    for (std::size_t i = 0; i < axes; ++i) {
        add_line(svg, at_x(i), top - 30, at_x(i), top + height + 30, "axis");
        const double room = axes < 2 ? picture_width : (picture_width - 2 * left) / static_cast<double>(axes - 1);
        add_text(svg, at_x(i), top - 40, fitted(drawn.axes[i].name, std::min(room - 6, 2 * left - 4)), anchor::middle);
        const std::size_t values = drawn.axes[i].values.size(), every = (values + 15) / 16;
        for (std::size_t v = 0; v < values; v += std::max<std::size_t>(1, every))
            add_text(svg, at_x(i) + 5, at_y(i, v) + 4, fitted(drawn.axes[i].values[v], room / 2), anchor::start,
                     "class=\"small halo\"");
    }
    add_legend("time", "fastest", "slowest drawn", top + height + 46, svg);
    return top + height + 46 + legend_height;
}

double draw(const tree_chart& drawn, std::string& svg)
{
    constexpr double height = 460;
    add_area(drawn.root, {8, 8, picture_width - 16, height - 16}, 0, 0, svg);
    return height;
}

}  // namespace launchbox::svg
