// Whether code waits for the previous grid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

/// For machine code of 9.0 and later: whether it contains griddepcontrol.wait (ACQBULK).
bool waits_for_grid(std::string_view code);

}  // namespace launchbox
