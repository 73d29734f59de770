// What files hold, as a hash, without reading one again that has not changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace launchbox {

/// May be used by several threads at once.
class file_contents {
public:
    /// Of the bytes of a file, 32 hexadecimal digits; empty: it cannot be read.
    [[nodiscard]] std::string hash_of(const std::filesystem::path& file);

    /// Of the names and contents of files.
    [[nodiscard]] std::string hash_of(const std::vector<std::filesystem::path>& files);

private:
    struct known_content {
        std::string state, hash;
    };
    std::mutex lock_;
    std::map<std::filesystem::path, known_content> known_;
};

}  // namespace launchbox
