// A chart as values, independent of whether it is drawn as SVG or by the page's script.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace launchbox {

struct chart_axis {
    std::string title;
    bool logarithmic = false;
    std::vector<std::string> categories = {};  ///< if not empty: names of the positions 0, 1, ...
    bool from_zero = false;
};

enum class series_look { line, steps, dots, bars };

/// Points of one kind. Non-empty vectors are as long as `x`.
struct chart_series {
    std::string name;
    series_look look = series_look::dots;
    std::vector<double> x, y;
    std::vector<double> low = {}, high = {};  ///< an interval around y
    std::vector<std::string> labels = {};     ///< the text of a point
    bool strong = false;                      ///< drawn larger than the others: a winner, a baseline, the present value
};

/// A line across the plot at one x, or at one y if `at_y` is set.
struct chart_mark {
    double at = 0;
    std::string text;
    bool at_y = false;
};

struct xy_chart {
    chart_axis x, y;
    std::vector<chart_series> series = {};
    std::vector<chart_mark> marks = {};
};

/// `values[row][column]`, named by `rows[row]` and `columns[column]`; `nullopt` if there is no value, and the text says
/// why.
struct heat_chart {
    std::string x_title, y_title, value_title;
    std::vector<std::string> columns, rows;
    std::vector<std::vector<std::optional<double>>> values;
    std::vector<std::vector<std::string>> texts;  ///< contents of the cells
    bool less_is_better = true;
    std::vector<std::pair<std::size_t, std::size_t>> marked = {};  ///< row and column of the best
    std::vector<std::vector<std::string>> notes = {};              ///< description of a cell; empty: its text
    std::vector<std::string> legend = {};                          ///< lines below that explain signs in the texts
};

struct chart {
    std::string id;     ///< letters, digits and - only: used as file name and in links
    std::string title;  ///< plain text
    std::string text;   ///< one or two sentences below the title
    std::variant<xy_chart, heat_chart> content;
};

}  // namespace launchbox
