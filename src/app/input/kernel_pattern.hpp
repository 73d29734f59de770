// Kernels that the user names with a pattern.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

struct kernel_input;

/// Leaves the kernels that match. Throws `error` where there are kernels and none matches.
void keep_matching(const std::string& pattern, kernel_input& input);

/// Throws `error`: no kernel matches; with the one of `names` that may be meant, else with some of them.
[[noreturn]] void refuse_pattern(const std::string& pattern, std::vector<std::string> names);

}  // namespace launchbox
