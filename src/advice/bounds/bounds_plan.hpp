// The launch attributes that are worth compiling: those that may change the compiler's output for a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "advice/bounds/kernel_trials.hpp"

namespace launchbox {

/// The attributes to try on this kernel, whose `trials` are still empty; the first is no attribute. For each block size
/// T of `kernel.threads` that can be launched: (T), then (T, B) with the largest B for each register cap, since ptxas
/// generates the same code for the same cap; then __maxnreg__ for these caps, descending. Omitted: attributes that
/// ptxas would drop or nvcc rejects, and each B that shared memory (with `dynamic_shared_bytes`), barriers or block
/// slots do not allow: its cap would cost registers for blocks that never run. A kernel's own third argument is kept in
/// every attribute except the first. Empty for an architecture without known limits.
std::vector<launch_attribute> useful_attributes(const kernel_trials& kernel, std::int64_t dynamic_shared_bytes);

/// Register limits between those tried, in steps of one register, for the block count whose highest limit spills a
/// little. More registers do not always mean fewer spills in ptxas: 37 may do where 40 spills.
std::vector<launch_attribute> finer_limits(const kernel_trials& kernel);

}  // namespace launchbox
