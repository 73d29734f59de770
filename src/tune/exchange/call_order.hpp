// Which of several runs is newer, where they were kept in several files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/types/results.hpp"

namespace launchbox {

/// The places of `runs`, the oldest first. `from`: the file of each. Runs of one file stand in the order of their calls
/// as the file numbers them, whatever its clock said; where it does not number them, and between files, there is
/// nothing but the clock, and of the same time the one that is named later is the newer.
std::vector<std::size_t> in_order_of_calls(const std::vector<const run_info*>& runs,
                                           const std::vector<std::string>& from);

}  // namespace launchbox
