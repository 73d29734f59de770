// Whether code waits for the grid ahead of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

/// Machine code of 9.0 and later: whether griddepcontrol.wait (ACQBULK) is in it.
bool waits_for_grid(std::string_view code);

}  // namespace launchbox
