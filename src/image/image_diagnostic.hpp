// What a reader of images could not read, and where.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace launchbox {

/// The most kernels read from one image; the largest seen has 9,000. A file of many tiny kernels would otherwise take
/// fifty times its size in memory.
inline constexpr std::size_t max_kernels_per_image = 1'000'000;

/// One thing that is wrong with an image. The rest of the image is still read.
struct image_diagnostic {
    std::uint64_t offset = 0;  ///< bytes from the start of the image
    std::string what;          ///< one sentence without a full stop; names in it are raw bytes

    friend bool operator==(const image_diagnostic&, const image_diagnostic&) = default;
};

}  // namespace launchbox
