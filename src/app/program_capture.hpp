// Runs a program with the observer, to list the kernels that it launches or to capture one launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "capture/folder/captured_launch.hpp"
#include "capture/launches/observed_run.hpp"

namespace launchbox {

/// The launch to capture.
struct launch_choice {
    std::string kernel;  ///< its name, or a pattern
    std::uint64_t nth = 1;
    std::string shape;                ///< as the user wrote it; empty: any
    std::vector<std::int64_t> sizes;  ///< of the grid in x, y and z, and of the block
    std::int64_t memory_limit = std::int64_t{4} << 30;
    bool all_memory = false;       ///< not only what the arguments lead to
    std::filesystem::path folder;  ///< that is made
};

struct capture_request {
    std::vector<std::string> command;
    bool follow_children = false;
    std::optional<launch_choice> keep;  ///< empty: launches are listed
};

struct kept_launch {
    captured_launch launch;
    std::string name;  ///< of the spec in the folder
};

struct capture_result {
    observed_run run;          ///< where a launch was kept: command and ending alone
    std::string nothing_seen;  ///< why, in one line; empty: kernels were seen
    std::optional<kept_launch> kept;
    std::string not_kept;  ///< why no launch was
};

/// Throws `error` before the program is started if programs cannot be observed on this system.
void refuse_capture(const std::vector<std::string>& command);

capture_result capture_program(const capture_request& request);

}  // namespace launchbox
