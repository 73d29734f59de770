// SPDX-License-Identifier: Apache-2.0
#include "support/text/rounded_number.hpp"

#include <fmt/format.h>

#include <cmath>

#include "support/text/terminal.hpp"

namespace launchbox {

std::string rounded_with_commas(double value)
{
    constexpr double whole_below = 1e15;
    return std::abs(value) < whole_below ? with_commas(std::llround(value)) : fmt::format("{:.4g}", value);
}

std::string in_three_digits(double value)
{
    const double size = std::abs(value);
    if (!std::isfinite(value) || size >= 99.95) return rounded_with_commas(value);
    if (size < 1e-4) return fmt::format("{:.3g}", value);
    int decimals = 0;
    for (double limit = 99.95; size < limit && decimals < 6; limit /= 10) ++decimals;
    return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace launchbox
