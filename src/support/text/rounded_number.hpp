// Numbers that were calculated, whole, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// The nearest whole number: 1234567.4 as "1,234,567". Four digits, "2.5e+22", from 1e15 on, where more are not exact,
/// and for what is not finite.
std::string rounded_with_commas(double value);

/// A measured number in three digits, whose zeros tell something too: "2.00", "0.0220", "13.0", "1,234".
std::string in_three_digits(double value);

}  // namespace launchbox
