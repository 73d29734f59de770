// The variables that a module keeps in global memory from one launch to the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The symbols of a cubin's `__device__` variables, which a launch can change; distinct, in the order of the symbol
/// table. `__constant__` variables and string literals are omitted. Empty if the cubin cannot be read.
std::vector<std::string> module_variables(std::string_view cubin);

}  // namespace launchbox
