// launchbox tune SPEC --replay-check: runs captured launches again and compares what they leave with what the program
// got.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "support/error.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox::cli {

/// On the first of `gpus`, or GPU 0. One line a capture on standard output. Throws `error` where there is no GPU, and
/// for a spec without a captured launch.
exit_status check_replays(const tune_spec& spec, const std::vector<int>& gpus);

}  // namespace launchbox::cli
