// The table of differences from the baseline: kernel, architecture, before, after; the worst first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "advice/check/check_result.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// Widest kernel name in the tables of `check`; some names have 24,000 characters.
inline constexpr int widest_check_name = 160;

/// Adds nothing if nothing differs.
void add_changes(const check_result& result, std::size_t max_rows, document& page);

/// "5 more are not shown: ...".
void add_left_out(std::size_t number, document& page);

}  // namespace launchbox
