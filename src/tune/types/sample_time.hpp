// The range of possible launch times, for times from any source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// A femtosecond: no clock tick and no instruction is shorter. Keeps ratios of two times far from the limits of a
/// double.
inline constexpr double shortest_time_ns = 1e-6;
/// 30 years.
inline constexpr double longest_time_ns = 1e18;

/// For recorded times: 0, if the clock was too coarse, or within these limits.
bool is_time(double nanoseconds);

/// Why a number that a program prints cannot be a time: "not above 0", "1e-314 ns: shorter than a femtosecond". Empty:
/// it can.
std::string why_no_time(double nanoseconds);

/// Whether a cost is valid: finite, not below 0.
bool is_duration(double seconds);

}  // namespace launchbox
