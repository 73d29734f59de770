// The variables that a module keeps in global memory from one launch to the next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The symbols of the `__device__` variables of a cubin, each once, in the order of its symbol table: those that a
/// launch can change. `__constant__` variables and string literals are omitted. Empty if the cubin cannot be read.
std::vector<std::string> module_variables(std::string_view cubin);

}  // namespace launchbox
