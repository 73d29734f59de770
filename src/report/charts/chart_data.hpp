// A chart as values: what is drawn, before it is decided whether as SVG or by the page's script.
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
    std::vector<std::string> categories = {};  ///< not empty: places 0, 1, ... have these names
    bool from_zero = false;
};

enum class series_look { line, steps, dots, bars };

/// Points of one kind. The vectors that are not empty are as long as `x`.
struct chart_series {
    std::string name;
    series_look look = series_look::dots;
    std::vector<double> x, y;
    std::vector<double> low = {}, high = {};  ///< an interval around y
    std::vector<std::string> labels = {};     ///< what is said of a point
    bool strong = false;                      ///< drawn larger than the others: a winner, a baseline, where one is
};

/// A line across the plot at one x, or with `at_y` at one y.
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

/// `values[row][column]`, with `rows[row]` and `columns[column]` as their names; `nullopt`: there is none, and the text
/// says why.
struct heat_chart {
    std::string x_title, y_title, value_title;
    std::vector<std::string> columns, rows;
    std::vector<std::vector<std::optional<double>>> values;
    std::vector<std::vector<std::string>> texts;  ///< what stands in the cells
    bool less_is_better = true;
    std::vector<std::pair<std::size_t, std::size_t>> marked = {};  ///< row and column of the best
    std::vector<std::vector<std::string>> notes = {};              ///< what is said of a cell; empty: its text
    std::vector<std::string> legend = {};                          ///< what signs in the texts mean: lines below
};

struct chart {
    std::string id;     ///< letters, digits and - only: a file name, and what links name
    std::string title;  ///< plain text
    std::string text;   ///< one or two sentences below it
    std::variant<xy_chart, heat_chart> content;
};

}  // namespace launchbox
