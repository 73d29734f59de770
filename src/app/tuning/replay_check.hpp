// Runs captured launches again and compares their outputs with the program's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/error.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// On the first of `gpus`, or GPU 0. `tell` receives one line per finished capture. Throws `error` without a GPU, and
/// for a spec without a captured launch.
exit_status check_replays(const tune_spec& spec, const std::vector<int>& gpus,
                          const std::function<void(const std::string& line)>& tell);

}  // namespace launchbox
