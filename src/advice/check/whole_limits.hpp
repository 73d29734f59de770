// Limits for all kernels together: GPU memory for their stacks, bytes of their images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advice/check/check_result.hpp"

namespace launchbox {

/// Adds a finding, "max_stack_reserve", to each kernel for which the driver reserves more on some GPU model: for the
/// model where it is largest. If the size is unknown, the kernel cannot be checked and fails: its stack has no known
/// limit, or no listed model runs it.
void check_stack_reserve(std::int64_t max_bytes, check_result& result);

struct file_images {
    std::string file;
    std::uint64_t bytes = 0;  ///< of its images, as stored
};

/// Adds a finding, "max_image_bytes", to the largest kernel of each file that exceeds the limit; a file without a
/// kernel gets one among `unchecked`.
void check_image_bytes(std::int64_t max_bytes, const std::vector<file_images>& files, check_result& result);

}  // namespace launchbox
