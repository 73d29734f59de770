// SPDX-License-Identifier: Apache-2.0
#include "report/core/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace launchbox {

namespace {

constexpr int rows = 6;
constexpr int label_width = 6;
constexpr int widest = 96;

constexpr const char* eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string title_of(const occupancy_curve& curve)
{
    if (curve.name == "threads") return "resident warps by threads per block";
    if (curve.name == "registers") return "resident warps by registers per thread";
    return "resident warps by shared memory per block, bytes";
}

// How the points of a curve are spread over the characters of a row: whole characters a point where that fits, else
// several points a character, of which the best is shown.
struct chart_columns {
    std::vector<int> heights;  // in eighths of a row
    int characters_each = 1;
    int marked = 0;  // the column of the user's value

    [[nodiscard]] int width() const { return static_cast<int>(heights.size()) * characters_each; }
};

chart_columns columns_of(const occupancy_curve& curve, int warp_slots, int style_width)
{
    const int points = static_cast<int>(curve.points.size());
    const int space = std::max(16, std::min(style_width - label_width - 4, widest));
    const int points_each = (points + space - 1) / space;
    const int columns = (points + points_each - 1) / points_each;
    chart_columns chart{.heights = {}, .characters_each = std::max(1, space / points), .marked = -1};
    for (int c = 0; c < columns; ++c) {
        int warps = 0;
        for (int i = c * points_each; i < std::min(points, (c + 1) * points_each); ++i) {
            const auto& point = curve.points[static_cast<std::size_t>(i)];
            warps = std::max(warps, point.warps);
            // The last point that is not above the user's value, or the first one.
            if (point.value <= curve.here || chart.marked < 0) chart.marked = c;
        }
        const int height = warps * rows * 8 / warp_slots;
        chart.heights.push_back(warps > 0 ? std::max(1, height) : 0);
    }
    if (curve.points.front().value > curve.here) chart.marked = 0;
    return chart;
}

std::string paint(const std::string& text, const output_style& style)
{
    return style.colour ? "\x1b[33m" + text + "\x1b[0m" : text;
}

std::string bars(const chart_columns& chart, int warp_slots, const output_style& style)
{
    std::string text;
    for (int row = rows - 1; row >= 0; --row) {
        const bool labelled = row == rows - 1 || row == rows / 2 - 1;
        text += fmt::format("{:>{}} {}", labelled ? std::to_string(warp_slots * (row + 1) / rows) : "", label_width - 1,
                            labelled ? "┤" : "│");
        for (int c = 0; c < static_cast<int>(chart.heights.size()); ++c) {
            const int filled = std::clamp(chart.heights[static_cast<std::size_t>(c)] - row * 8, 0, 8);
            std::string column;
            for (int i = 0; i < chart.characters_each; ++i) column += eighths[filled];
            text += c == chart.marked ? paint(column, style) : column;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    text += std::string(label_width, ' ') + "└";
    for (int i = 0; i < chart.width(); ++i) text += "─";
    return text + '\n';
}

// The ends of the axis give way to the mark where they would touch it.
std::string axis_labels(const occupancy_curve& curve, const chart_columns& chart, const output_style& style)
{
    const std::string first = with_commas(curve.points.front().value), last = with_commas(curve.points.back().value);
    std::string mark = "▲ " + with_commas(curve.here);
    const int mark_width = display_width(mark);
    int at = chart.marked * chart.characters_each;
    if (label_width + 1 + at + mark_width > style.width) {  // no room to its right
        mark = with_commas(curve.here) + " ▲";
        at = std::max(0, at + 1 - mark_width);
    }
    std::string text(static_cast<std::size_t>(label_width + 1), ' ');
    if (at > static_cast<int>(first.size()) + 1)
        text += first + std::string(static_cast<std::size_t>(at) - first.size(), ' ');
    else
        text += std::string(static_cast<std::size_t>(at), ' ');
    text += paint(mark, style);
    const int rest = chart.width() - at - mark_width - static_cast<int>(last.size());
    if (rest > 1) text += std::string(static_cast<std::size_t>(rest), ' ') + last;
    return text + '\n';
}

}  // namespace

std::string render_chart(const occupancy_curve& curve, int warp_slots, const output_style& style)
{
    if (curve.points.empty() || warp_slots < 1) return {};
    const chart_columns chart = columns_of(curve, warp_slots, style.width);
    return "  " + title_of(curve) + '\n' + bars(chart, warp_slots, style) + axis_labels(curve, chart, style);
}

}  // namespace launchbox
