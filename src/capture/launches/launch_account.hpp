// How full launches make the GPU, and how they could be improved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capture/launches/observed_run.hpp"

namespace launchbox {

/// Fills in `account`, `sms_used` and `findings`, which follow from the kernel, the shape and the GPU.
void calculate(observed_launches& launches, const observed_gpu& gpu);

/// Possible improvements of launches whose account is known, the largest gain first.
std::vector<launch_finding> findings_of(const observed_launches& launches, const observed_gpu& gpu);

}  // namespace launchbox
