// Where a backend keeps the files of its candidates while a call runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

namespace launchbox {

/// A new folder in that of the call: GPUs of several models have a backend each, and these count their files alike.
/// Nothing where the call has none.
inline std::filesystem::path folder_of_backend(const std::filesystem::path& folder)
{
    if (folder.empty()) return folder;
    static std::atomic<int> made = 0;
    std::filesystem::path own = folder / fmt::format("backend_{}", made++);
    std::filesystem::create_directories(own);
    return own;
}

}  // namespace launchbox
