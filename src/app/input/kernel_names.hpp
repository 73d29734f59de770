// The names of kernels that files hold, for the completion of --kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Each name once, sorted. Sources are read, not compiled; a folder is not searched below its top. Unreadable files are
/// skipped without a message, since this runs while the shell completes a word.
std::vector<std::string> kernel_names(const std::vector<std::string>& files);

}  // namespace launchbox
