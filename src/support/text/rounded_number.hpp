// Calculated numbers, rounded for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// The nearest whole number: 1234567.4 as "1,234,567". From 1e15 on, where more digits are not exact, and for
/// infinities and NaN, four digits: "2.5e+22".
std::string rounded_with_commas(double value);

/// A measured number with three significant digits, including zeros: "2.00", "0.0220", "13.0", "1,234".
std::string in_three_digits(double value);

}  // namespace launchbox
