// Hashes of file contents; unchanged files are not read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace launchbox {

/// Thread-safe.
class file_contents {
public:
    /// Hash of a file's bytes, 32 hexadecimal digits; empty if it cannot be read.
    [[nodiscard]] std::string hash_of(const std::filesystem::path& file);

    /// Hash of the names and contents of files.
    [[nodiscard]] std::string hash_of(const std::vector<std::filesystem::path>& files);

private:
    struct known_content {
        std::string state, hash;
    };
    std::mutex lock_;
    std::map<std::filesystem::path, known_content> known_;
};

}  // namespace launchbox
