// Restores logs that were converted to capitals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// Whether a line of ptxas or nvlink is in capitals: originally, these begin with small letters.
bool is_in_capitals(std::string_view line);

/// The line as the compiler wrote it, except the names of kernels, whose case is lost.
std::string without_capitals(std::string_view line);

}  // namespace launchbox
