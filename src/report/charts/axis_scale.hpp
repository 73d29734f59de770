// Maps values to positions on an axis, and chooses round values for its labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Maps [low, high] onto [0, 1]; a logarithmic scale only holds values above 0.
struct axis_scale {
    double low = 0, high = 1;
    bool logarithmic = false;

    [[nodiscard]] double place(double value) const;
};

/// Round values within the scale in ascending order, about `wanted` at most.
std::vector<double> ticks_of(const axis_scale& scale, int wanted);

/// A scale that holds all values with some margin; widened if all values are equal.
axis_scale scale_of(const std::vector<double>& values, bool logarithmic, bool from_zero);

/// The one format of numbers for people, in charts and text; web/page/charts.js has the same: "1,024", "12,346" (whole
/// from 1,000 on), "0.25", "62.53" (four digits), "1.5e9" (from ten million on).
std::string number_text(double value);

/// The labels of an axis: if two would be equal, all get enough decimals to differ.
std::vector<std::string> tick_texts(const std::vector<double>& values);

}  // namespace launchbox
