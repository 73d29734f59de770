// What drawings of all chart kinds share: elements, text that fits, colours of values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/charts/chart_data.hpp"

namespace launchbox::svg {

/// In SVG, `y` grows downwards. Units are those of the view box.
struct box {
    double x = 0, y = 0, width = 0, height = 0;
};

enum class anchor { start, middle, end };

void add_text(std::string& svg, double x, double y, std::string_view text, anchor at = anchor::start,
              std::string_view more = {});
void add_line(std::string& svg, double x1, double y1, double x2, double y2, std::string_view css_class);

/// Approximate width of text in the usual size, in units.
double text_width(std::string_view text);
/// The text, cut to this width with an ellipsis.
std::string fitted(std::string_view text, double width);

/// A colour for 0 (lowest) to 1, from dark blue over green to yellow, and whether text on it must be white.
struct shade {
    std::string colour;
    bool white_text = false;
};
shade shade_of(double part);

/// Appends the content of the picture to `svg` and returns its height.
double draw(const xy_chart& drawn, std::string& svg);
double draw(const heat_chart& drawn, std::string& svg);

/// All pictures have this width.
inline constexpr double picture_width = 760;

}  // namespace launchbox::svg
