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

}  // namespace launchbox
