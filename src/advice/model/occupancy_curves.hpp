// Resident warps as a function of one quantity of a launch, with all others constant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/model/account.hpp"

namespace launchbox {

/// Over threads, registers and shared memory, in this order. Each point is the model's answer to the question with that
/// one value changed.
std::vector<occupancy_curve> curves_of(const occupancy_question& question);

}  // namespace launchbox
