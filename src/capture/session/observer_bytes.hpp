// The observer, which the tool carries so that it stays one file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

/// The shared library; empty: this build has none, since CUPTI's headers were not there.
std::string_view observer_bytes();

}  // namespace launchbox
