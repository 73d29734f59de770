// The files of a folder that may hold kernels: a build tree, a cache of compiled kernels, unpacked packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct folder_files {
    std::vector<std::string> files =
        {};  ///< regular files in it and below, sorted; each once, whatever links lead to it
    std::vector<std::string> errors = {};  ///< what cannot be read: folders, links that lead nowhere, and the like
    std::vector<std::string> remarks =
        {};  ///< what is not read and need not be: links to folders outside, sockets, pipes
};

/// `is_wanted` tells of a name whether the file is missed where it cannot be read. Links to folders are not followed.
folder_files files_in_folder(const std::string& folder, const std::function<bool(std::string_view name)>& is_wanted);

/// The CUDA sources (.cu) of a folder, sorted; without headers and hidden files.
std::vector<std::string> sources_of(const folder_files& files, const std::string& folder);
std::vector<std::string> sources_in_folder(const std::string& folder);

/// "read as CUDA sources: a.cu, b.cu and 3 more".
std::string read_as_sources(const std::vector<std::string>& sources, const std::string& folder);

bool is_folder(const std::string& name);
bool is_file(const std::string& name);

}  // namespace launchbox
