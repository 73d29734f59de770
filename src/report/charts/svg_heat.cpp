// Heat maps as SVG.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/charts/axis_scale.hpp"
#include "report/charts/chart_svg.hpp"
#include "report/charts/svg_writer.hpp"

namespace launchbox::svg {

namespace {

constexpr double cell_height = 24, legend_height = 30;

struct value_range {
    double low = 0, high = 1;
    bool less_is_better = true;

    // The lowest value is darkest. If the worst is many times the best, colours follow the ratio; otherwise all but the
    // worst would look the same.
    [[nodiscard]] double part(double value) const
    {
        if (!(high > low)) return value > 0 ? 1 : 0;
        if (less_is_better && low > 0 && high > 4 * low) return std::log(value / low) / std::log(high / low);
        return (value - low) / (high - low);
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

void add_legend(const std::string& title, const std::string& least, const std::string& most, double y, std::string& svg)
{
    constexpr double steps = 20, width = 8;
    double x = 24 + text_width(title);
    add_text(svg, 12, y + 11, title, anchor::start, "class=\"faint\"");
    add_text(svg, x, y + 11, least, anchor::start, "class=\"faint\"");
    x += text_width(least) + 6;
    for (int i = 0; i < static_cast<int>(steps); ++i)
        svg += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" fill="{}"/>)", x + width * i, y,
                           width + 0.5, shade_of(i / (steps - 1)).colour);
    add_text(svg, x + width * steps + 6, y + 11, most, anchor::start, "class=\"faint\"");
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
    // If cells are narrower than names, only some of the names.
    double widest = 0;
    for (const std::string& name : drawn.columns) widest = std::max(widest, std::min(text_width(name), 90.0));
    const auto every = static_cast<std::size_t>(width < 26 ? std::max(1.0, std::ceil((widest + 6) / width)) : 1);
    for (std::size_t c = 0; c < drawn.columns.size(); ++c) {
        if (c % every == 0)
            add_text(svg, left + width * (static_cast<double>(c) + 0.5), top - 6,
                     fitted(drawn.columns[c], width * static_cast<double>(every)), anchor::middle, "class=\"faint\"");
    }
    for (std::size_t r = 0; r < drawn.rows.size(); ++r) {
        const double y = top + cell_height * static_cast<double>(r);
        add_text(svg, left - 8, y + 16, fitted(drawn.rows[r], left - 36), anchor::end, "class=\"faint\"");
        for (std::size_t c = 0; c < drawn.columns.size(); ++c) {
            const std::optional<double>& value = drawn.values[r][c];
            const double x = left + width * static_cast<double>(c);
            const std::string& note = drawn.notes.empty() ? drawn.texts[r][c] : drawn.notes[r][c];
            if (!value) {
                if (drawn.texts[r][c].empty()) continue;
                svg += fmt::format(R"(<g class="empty"><title>{}</title>)",
                                   markup_text(fmt::format("{} {}, {} {}: {}", drawn.y_title, drawn.rows[r],
                                                           drawn.x_title, drawn.columns[c], note)));
                add_text(svg, x + width / 2 - 0.5, y + 16, drawn.texts[r][c], anchor::middle, "class=\"small faint\"");
                svg += "</g>";
                continue;
            }
            const shade look = shade_of(range.part(*value));
            svg += fmt::format(R"(<g class="cell" data-value="{}"><rect x="{:.1f}" y="{:.1f}" width="{:.1f}")", *value,
                               x, y, width - 1);
            svg += fmt::format(R"( height="{:.1f}" fill="{}"/><title>{}</title>)", cell_height - 1, look.colour,
                               markup_text(fmt::format("{} {}, {} {}: {}", drawn.y_title, drawn.rows[r], drawn.x_title,
                                                       drawn.columns[c], note)));
            if (text_width(drawn.texts[r][c]) < width)
                add_text(svg, x + width / 2 - 0.5, y + 16, drawn.texts[r][c], anchor::middle,
                         look.white_text ? "class=\"small white\"" : "class=\"small black\"");
            svg += "</g>";
        }
    }
    for (const auto& [row, column] : drawn.marked)
        for (const char* name : {"chosen", "chosen inner"})
            svg += fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", name,
                               left + width * static_cast<double>(column), top + cell_height * static_cast<double>(row),
                               width - 1, cell_height - 1);
    double y = top + cell_height * static_cast<double>(drawn.rows.size()) + 16;
    svg += fmt::format(
        "<text class=\"faint\" transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">"
        "{}</text>",
        top + (y - top) / 2, markup_text(drawn.y_title));
    add_text(svg, left, y + 4, drawn.x_title + " →", anchor::start, "class=\"faint\"");
    y += 18;
    add_legend(drawn.value_title, number_text(range.low), number_text(range.high), y, svg);
    for (const std::string& line : drawn.legend) {
        y += 16;
        add_text(svg, 12, y + 16, fitted(line, picture_width - 24), anchor::start, "class=\"small faint\"");
    }
    return y + legend_height;
}

}  // namespace launchbox::svg
