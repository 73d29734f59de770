// SPDX-License-Identifier: Apache-2.0
#include "tune/types/sample_time.hpp"

#include <fmt/format.h>

#include <cmath>

namespace launchbox {

bool is_time(double nanoseconds)
{
    return nanoseconds == 0 || (nanoseconds >= shortest_time_ns && nanoseconds <= longest_time_ns);
}

std::string why_no_time(double nanoseconds)
{
    if (!std::isfinite(nanoseconds) || nanoseconds <= 0) return "not above 0";
    if (nanoseconds < shortest_time_ns) return fmt::format("{} ns: shorter than a femtosecond", nanoseconds);
    if (nanoseconds > longest_time_ns) return fmt::format("{} s: longer than 30 years", nanoseconds * 1e-9);
    return {};
}

bool is_duration(double seconds)
{
    return seconds >= 0 && seconds <= longest_time_ns;
}

}  // namespace launchbox
