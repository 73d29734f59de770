// Resident warps over one quantity of a launch, all else as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/model/account.hpp"

namespace launchbox {

/// Over threads, registers and shared memory, in this order. Each point is what the model answers to the question with
/// that one value changed.
std::vector<occupancy_curve> curves_of(const occupancy_question& question);

}  // namespace launchbox
