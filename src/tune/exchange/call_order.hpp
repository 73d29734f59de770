// The order of runs that were kept in several files, by age.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/types/results.hpp"

namespace launchbox {

/// The indices of `runs`, oldest first. `from`: the file of each. Runs of one file are ordered by its call numbers,
/// whatever the clock said. Without numbers, and between files, the clock decides; if times are equal, the later in
/// `runs` is the newer.
std::vector<std::size_t> in_order_of_calls(const std::vector<const run_info*>& runs,
                                           const std::vector<std::string>& from);

}  // namespace launchbox
