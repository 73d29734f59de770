// The folder in which a backend keeps its candidates' files during a call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

namespace launchbox {

/// A new folder in that of the call: each GPU model has a backend, and all number their files alike. Empty if the call
/// has no folder.
inline std::filesystem::path folder_of_backend(const std::filesystem::path& folder)
{
    if (folder.empty()) return folder;
    static std::atomic<int> made = 0;
    std::filesystem::path own = folder / fmt::format("backend_{}", made++);
    std::filesystem::create_directories(own);
    return own;
}

}  // namespace launchbox
