// Selects kernels by a pattern of the user.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

struct kernel_input;

/// Keeps the kernels that match. Throws `error` if there are kernels and none matches.
void keep_matching(const std::string& pattern, kernel_input& input);

/// Throws `error`: no kernel matches. Suggests the closest of `names`, else lists some of them.
[[noreturn]] void refuse_pattern(const std::string& pattern, std::vector<std::string> names);

}  // namespace launchbox
