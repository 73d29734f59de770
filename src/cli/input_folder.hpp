// The files of a folder that may hold kernels: a build tree, a cache of compiled kernels, unpacked packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox::cli {

/// Regular files in it and in the folders below, sorted; each file once, whatever links there are to it. Links to
/// folders are not followed. A folder that cannot be read is said in `errors`.
std::vector<std::string> files_in_folder(const std::string& folder, std::vector<std::string>& errors);

bool is_folder(const std::string& name);

}  // namespace launchbox::cli
