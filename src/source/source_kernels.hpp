// The kernels that CUDA C++ text defines, without a compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// As patterns for --kernel, in the order of the text: "scale", "a::scale", and "merge<*" of a template, whose
/// instances only a compiler knows. Kernels that a macro defines are missing.
std::vector<std::string> kernels_in_text(std::string_view text);

}  // namespace launchbox
