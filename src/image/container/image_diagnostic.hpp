// What could not be read in an image, and where.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace launchbox {

/// An error in an image. The rest of the image is still read.
struct image_diagnostic {
    std::uint64_t offset = 0;  ///< bytes from the start of the image
    std::string what;          ///< one sentence without a full stop; names in it are raw bytes

    friend bool operator==(const image_diagnostic&, const image_diagnostic&) = default;
};

}  // namespace launchbox
