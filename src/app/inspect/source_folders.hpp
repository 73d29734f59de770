// Which of the files that a binary names may be shown: anybody can write any name into one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace launchbox {

/// The working tree, folders that the user names, and the user's own inputs.
class source_folders {
public:
    /// The working tree is the repository (`.git`) in which the current folder is, else that folder. The root of the
    /// file system is none, and above the current folder neither is the user's home.
    source_folders(const std::vector<std::string>& named, const std::vector<std::string>& inputs);

    /// Why a file that is there is not shown: it is not below one of the folders, wherever links lead, or its path
    /// below it is hidden (.git/config). Empty: it may be.
    [[nodiscard]] std::string why_not_shown(const std::filesystem::path& file) const;

private:
    std::vector<std::filesystem::path> folders_, inputs_;  // without links
};

}  // namespace launchbox
