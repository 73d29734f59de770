// The observer library, embedded so that the tool stays one file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

/// The shared library; empty if this build has none, because CUPTI's headers were missing.
std::string_view observer_bytes();

}  // namespace launchbox
