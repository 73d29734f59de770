// SPDX-License-Identifier: Apache-2.0
#include "report/charts/chart_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/charts/svg_writer.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// As in web/page/page.css, which names them. Text has a contrast of at least 4.5 in both sets.
struct palette {
    std::string_view ink, faint, grid, paper;
    std::array<std::string_view, 6> series;
};
constexpr palette light{
    "#1b1f24", "#57606a", "#d8dee4", "#ffffff", {"#0b62c4", "#b45309", "#0f766e", "#a21caf", "#b91c1c", "#4d7c0f"}};
constexpr palette dark{
    "#e6edf3", "#9da7b3", "#30363d", "#0d1117", {"#58a6ff", "#f0883e", "#39c5bb", "#d58ee8", "#ff7b72", "#a5d16a"}};

// Literal colours: librsvg, Inkscape and most converters do not support variables and would draw black on black.
std::string colours_of(const palette& of)
{
    std::string css;
    for (std::size_t i = 0; i < of.series.size(); ++i)
        css += fmt::format(".c{0}{{stroke:{1};fill:{1}}}", i, of.series[i]);
    return css + fmt::format(
                     ".paper{{fill:{0}}}.halo,.area{{stroke:{0}}}text{{fill:{1}}}.mark{{stroke:{1}}}"
                     ".faint{{fill:{2}}}.axis{{stroke:{2}}}.grid{{stroke:{3}}}",
                     of.paper, of.ink, of.faint, of.grid);
}

// Rules beyond colours name two classes, so they take precedence whatever the order.
constexpr std::string_view shapes =
    "text{font:12px system-ui,'DejaVu Sans',sans-serif}.title{font-size:15px;font-weight:600}.small{font-size:11px}"
    ".grid,.axis,.area{stroke-width:1}.mark{stroke-width:1;stroke-dasharray:4 3}"
    ".halo{paint-order:stroke;stroke-width:3px}.thread{fill:none;stroke-width:1;stroke-opacity:.45}"
    ".thread.strong{stroke-width:3;stroke-opacity:1}.chosen{fill:none;stroke:#000000;stroke-width:6}"
    ".chosen.inner{stroke:#ffffff;stroke-width:2.5}"
    ".picture .line{fill:none;stroke-width:1.8}.picture .dot{stroke:none;fill-opacity:.7}"
    ".picture .white{fill:#ffffff}.picture .black{fill:#000000}";

// The dark set comes last, because some programs stop reading at @media.
std::string style_of_file()
{
    return fmt::format("{}{}@media(prefers-color-scheme:dark){{{}}}", colours_of(light), shapes, colours_of(dark));
}

}  // namespace

std::string svg_of(const chart& drawn, svg_use use)
{
    std::string inner;
    const double height = std::visit([&](const auto& content) { return svg::draw(content, inner); }, drawn.content);
    const bool file = use == svg_use::file;
    const double top = file ? 40 : 0;
    std::string text =
        fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" class="picture" viewBox="0 0 {:.0f} {:.0f}")",
                    svg::picture_width, height + top);
    // With percentages, a viewer of the file might scale the picture to nothing.
    if (file) text += fmt::format(R"( width="{:.0f}" height="{:.0f}")", svg::picture_width, height + top);
    text += fmt::format("><title>{}</title>", markup_text(drawn.title));
    if (file) {
        if (!drawn.text.empty()) text += fmt::format("<desc>{}</desc>", markup_text(drawn.text));
        text += "<style>" + style_of_file() + "</style>";
        text += fmt::format(R"(<rect class="paper" fill="{}" width="{:.0f}" height="{:.0f}"/>)", light.paper,
                            svg::picture_width, height + top);
        svg::add_text(text, 12, 24, svg::fitted(drawn.title, svg::picture_width * 0.8), svg::anchor::start,
                      "class=\"title\"");
        text += fmt::format("<g transform=\"translate(0 {:.0f})\">", top);
    }
    text += inner;
    if (file) text += "</g>";
    return text + "</svg>\n";
}

std::string markup_text(std::string_view text)
{
    std::string result;
    const std::string safe = escape_for_terminal(text);
    for (const char letter : safe) switch (letter) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += letter;
        }
    return result;
}

namespace svg {

void add_text(std::string& svg, double x, double y, std::string_view text, anchor at, std::string_view more)
{
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}")", x, y);
    if (at != anchor::start) svg += fmt::format(R"( text-anchor="{}")", at == anchor::end ? "end" : "middle");
    if (!more.empty()) svg += ' ' + std::string(more);
    svg += '>' + markup_text(text) + "</text>";
}

void add_line(std::string& svg, double x1, double y1, double x2, double y2, std::string_view css_class)
{
    svg +=
        fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", css_class, x1, y1, x2, y2);
}

double text_width(std::string_view text)
{
    return 6.7 * display_width(text);
}

std::string fitted(std::string_view text, double width)
{
    return shortened(text, std::max(2, static_cast<int>(width / 6.7)));
}

shade shade_of(double part)
{
    // Viridis in six steps, readable without colour perception: higher is lighter. So 0 % is the darkest.
    constexpr std::array<std::array<double, 3>, 6> steps{
        {{68, 1, 84}, {65, 68, 135}, {42, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}}};
    const double place = std::clamp(std::isfinite(part) ? part : 1.0, 0.0, 1.0) * 5;
    const auto below = std::min<std::size_t>(4, static_cast<std::size_t>(place));
    const double rest = place - static_cast<double>(below);
    std::array<int, 3> rgb{};
    double luminance = 0;
    constexpr std::array<double, 3> weights{0.2126, 0.7152, 0.0722};
    for (std::size_t i = 0; i < 3; ++i) {
        rgb[i] = static_cast<int>(std::lround(steps[below][i] * (1 - rest) + steps[below + 1][i] * rest));
        luminance += weights[i] * std::pow(rgb[i] / 255.0, 2.2);
    }
    return {fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]), luminance < 0.18};
}

}  // namespace svg

}  // namespace launchbox
