// Reads a budget: TOML, as described in docs/check.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "advice/check/budget.hpp"

namespace launchbox {

/// The largest budget that is read: 256 KiB. The TOML library searches lists of tables linearly.
inline constexpr std::size_t max_budget_bytes = std::size_t{1} << 18;

struct budget_reading {
    budget value;  ///< valid only without errors
    std::vector<file_error> errors;
};

/// Never throws on bad text. All mistakes are reported, in the order of the file; if it is not TOML, only the first.
budget_reading parse_budget(std::string_view text, const std::string& file);

}  // namespace launchbox
