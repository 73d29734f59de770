// The files that a source includes by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace launchbox {

/// `first` and all that they include, recursively, each once, in the order in which they are met: `#include "x"` from
/// the folder of the file that says so, `"x"` and `<x>` from `folders`. Conditions are not regarded: what any of them
/// may include counts. What is not found there, such as the headers of the toolkit, is left out.
std::vector<std::filesystem::path> included_files(const std::vector<std::filesystem::path>& first,
                                                  const std::vector<std::filesystem::path>& folders);

}  // namespace launchbox
