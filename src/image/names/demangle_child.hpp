// Demangles names that could exhaust memory, time or stack, in processes that may die.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Calls `read(name)` for each of the names in a child process with little memory and time, detached from our terminal.
/// A name at which the child dies is returned unchanged, and another child continues after it. All remaining names are
/// returned unchanged if no child can be started, after 16 deaths, after 20 s, above 256 MiB of results, and after
/// Ctrl-C.
std::vector<std::string> read_in_children(const std::vector<std::string>& names,
                                          std::string (*read)(const std::string& name));

}  // namespace launchbox
