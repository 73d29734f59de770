// How full the GPU is with launches, and what could be better about them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "capture/launches/observed_run.hpp"

namespace launchbox {

/// Fills in what follows from the kernel, the shape and the GPU: `account`, `sms_used` and `findings`.
void calculate(observed_launches& launches, const observed_gpu& gpu);

/// What could be better about launches whose account is known, the most first.
std::vector<launch_finding> findings_of(const observed_launches& launches, const observed_gpu& gpu);

}  // namespace launchbox
