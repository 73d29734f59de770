// The output of `--version`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// "launchbox 0.1.0", with the compiler, its path, and the driver of this machine.
std::string version_text(const std::string& version);

}  // namespace launchbox
