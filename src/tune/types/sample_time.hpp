// What can be the time of a launch, wherever it was read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// Shorter is no clock's tick and no instruction's time: a femtosecond. Ratios of two times are far from the ends of
/// what a double holds.
inline constexpr double shortest_time_ns = 1e-6;
/// 30 years.
inline constexpr double longest_time_ns = 1e18;

/// Of what was recorded: 0, where the clock was too coarse, or within these.
bool is_time(double nanoseconds);

/// Why a figure that a program prints is no time: "not above 0", "1e-314 ns: shorter than a femtosecond". Empty: it is
/// one.
std::string why_no_time(double nanoseconds);

/// Whether a cost can be one: finite, not below 0.
bool is_duration(double seconds);

}  // namespace launchbox
