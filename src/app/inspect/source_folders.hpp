// Which of the files that a binary names may be shown: a binary can contain any file name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace launchbox {

/// The working tree, folders that the user names, and the user's own inputs.
class source_folders {
public:
    /// The working tree is the repository (`.git`) that contains the current folder, else the current folder. It is
    /// never the root of the file system, nor a home folder above the current one.
    source_folders(const std::vector<std::string>& named, const std::vector<std::string>& inputs);

    /// Why an existing file is not shown: it is outside the folders, after links are followed, or its path below them
    /// is hidden (.git/config). Empty: it may be shown.
    [[nodiscard]] std::string why_not_shown(const std::filesystem::path& file) const;

private:
    std::vector<std::filesystem::path> folders_, inputs_;  // without links
};

}  // namespace launchbox
