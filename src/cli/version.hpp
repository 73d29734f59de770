// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox::cli {

/// "launchbox 0.1.0", and what is found here: compiler with its path, driver.
std::string version_text();

}  // namespace launchbox::cli
