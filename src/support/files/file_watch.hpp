// Checks whether files have changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace launchbox {

/// The inode, size and times of a file, which change when it is written, including the inode's change time, which
/// cannot be set. Empty if the file does not exist.
std::string state_of_file(const std::filesystem::path& file);

/// Remembers the files at construction. Thread-safe.
class file_watch {
public:
    explicit file_watch(std::vector<std::filesystem::path> files);

    /// The first file whose content differs, or that was removed or created; empty if none. Files are read again only
    /// if their time or size has changed.
    [[nodiscard]] std::string changed();

private:
    struct watched {
        std::filesystem::path file;
        std::string state;  // size, times and inode
        std::size_t content = 0;
    };
    std::mutex lock_;
    std::vector<watched> files_;
};

}  // namespace launchbox
