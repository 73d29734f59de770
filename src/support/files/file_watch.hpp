// Whether files are still what they were.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace launchbox {

/// The number, size and times of a file, which change when it is written: also the time of its inode, which nobody can
/// set. Empty: it is not there.
std::string state_of_file(const std::filesystem::path& file);

/// Notes the files as they are when it is made. May be used by several threads at once.
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
