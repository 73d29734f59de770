// The observer's raw capture of a launch, converted to a folder that `tune` reads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/folder/captured_launch.hpp"

namespace launchbox {

/// A launch as in the observer's text; its memory files are raw bytes in the observer's folder.
struct raw_launch {
    captured_launch launch;  ///< without module, hashes and architecture
    int registers = 0;
    bool early = false;  ///< it may begin before the previous kernel ends
    std::int64_t static_shared_bytes = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> modules;  ///< hash and size of those that have the kernel
    // Where the PTX may be; empty if the program gave a cubin to the driver.
    std::vector<std::string> images;         ///< what the program gave to the driver: files of the observer's folder
    std::vector<std::string> linked_files;   ///< the program or library whose device code it is, before it was linked
    std::vector<std::string> program_files;  ///< files whose code the program ran, if the module's file is unknown
};

/// Nothing if the observer kept no launch. Throws `error` for a text that it did not write.
std::optional<raw_launch> read_raw_launch(const std::filesystem::path& observed);

/// Writes module, memory, capture.json and `name`.toml into `folder`, which exists and is empty. Throws `error` if the
/// module cannot be identified, or if the disk is full. Returns the launch as written.
captured_launch write_capture_folder(raw_launch raw, const std::filesystem::path& observed,
                                     const std::filesystem::path& folder, const std::string& name);

}  // namespace launchbox
