// Charts as SVG: a separate file, or part of a page that defines the colours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/charts/chart_data.hpp"

namespace launchbox {

enum class svg_use {
    file,     ///< well-formed XML with its own colours, which follow the reader's preference for light or dark
    in_page,  ///< the page's style sheet defines the colours
};

/// The plot of an xy chart has its range in `data-x-low`, `data-x-high`, `data-y-low`, `data-y-high` (and
/// `data-x-logarithmic`, `data-y-logarithmic`), so that positions can be converted back to values.
std::string svg_of(const chart& drawn, svg_use use);

/// Text for XML and HTML: escapes markup, and characters that XML forbids or `escape_for_terminal` would not show.
std::string markup_text(std::string_view text);

}  // namespace launchbox
