// What `--version` says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// "launchbox 0.1.0", and what is found here: compiler with its path, driver.
std::string version_text(const std::string& version);

}  // namespace launchbox
