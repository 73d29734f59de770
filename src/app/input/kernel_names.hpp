// The names of kernels that files hold, for the completion of --kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Each once, sorted. Sources are read and not compiled; of a folder those right in it. What cannot be read has none:
/// nobody wants to be told why while a word is completed.
std::vector<std::string> kernel_names(const std::vector<std::string>& files);

}  // namespace launchbox
