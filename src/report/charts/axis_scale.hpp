// From values to places on an axis, and the round values at which it is labelled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Maps [low, high] onto [0, 1]; logarithmic ones hold values above 0 only.
struct axis_scale {
    double low = 0, high = 1;
    bool logarithmic = false;

    [[nodiscard]] double place(double value) const;
};

/// Round values within the scale, rising, at most about `wanted`.
std::vector<double> ticks_of(const axis_scale& scale, int wanted);

/// A scale that holds all values with some room; one that has no spread is widened.
axis_scale scale_of(const std::vector<double>& values, bool logarithmic, bool from_zero);

/// The one form of numbers for people, in charts and in what stands beside them; web/page/charts.js has the same:
/// "1,024", "12,346" (whole from 1,000 on), "0.25", "62.53" (four digits), "1.5e9" (from ten millions on).
std::string number_text(double value);

/// The labels of an axis: where two would be alike, all get the decimals that tell them apart.
std::vector<std::string> tick_texts(const std::vector<double>& values);

}  // namespace launchbox
