// Reads names that could exhaust memory, time or stack, in processes that may die of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// `read(name)` for each of the names, called in a child process with little memory and time and not on our terminal.
/// A name at which the child dies comes back as it is, and another child continues behind it. So do all that are left
/// when no child can be started, after 16 deaths, after 20 s, past 256 MiB of results, and at Ctrl-C.
std::vector<std::string> read_in_children(const std::vector<std::string>& names,
                                          std::string (*read)(const std::string& name));

}  // namespace launchbox
