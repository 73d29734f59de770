// Whether files are still what they were.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace launchbox {

/// The inode, size and times of a file, which change when it is written, including the change time of the inode, which
/// cannot be set. Empty if it does not exist.
std::string state_of_file(const std::filesystem::path& file);

/// Remembers the files at its construction. May be used by several threads at once.
class file_watch {
public:
    explicit file_watch(std::vector<std::filesystem::path> files);

    /// The first file whose content is another one now, or that is gone or new; empty: none. Files are read again only
    /// where their time or size has changed.
    [[nodiscard]] std::string changed();

private:
    struct watched {
        std::filesystem::path file;
        std::string state;  // size, times and number
        std::size_t content = 0;
    };
    std::mutex lock_;
    std::vector<watched> files_;
};

}  // namespace launchbox
