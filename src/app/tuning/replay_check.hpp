// Captured launches run again: whether they leave what the program got.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/error.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// On the first of `gpus`, or GPU 0. `tell` gets a line for each capture, when it is done. Throws `error` where there
/// is no GPU, and for a spec without a captured launch.
exit_status check_replays(const tune_spec& spec, const std::vector<int>& gpus,
                          const std::function<void(const std::string& line)>& tell);

}  // namespace launchbox
