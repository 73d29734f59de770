// Images that are listed and not read: LTO-IR and Tile IR, which have no figures, and entries of a kind that is not
// known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "image/binary.hpp"

namespace launchbox {

/// All images of one kind and architecture.
struct skipped_images {
    std::string kind;          ///< as in `binary_image`: "LTO-IR", "Tile IR", "kind 64"
    std::string architecture;  ///< as in `binary_image`; empty: unknown
    std::size_t images = 0;

    friend bool operator==(const skipped_images&, const skipped_images&) = default;
};

/// In the order in which they were found.
std::vector<skipped_images> skipped_in(const std::vector<binary_image>& images);

/// "2 LTO-IR images (compute_80, compute_90), 1 image of unknown kind 64 (compute_90)"; empty for none.
std::string skipped_text(const std::vector<skipped_images>& skipped);

/// Why a binary with these images shows no kernel: "1 cubin without a kernel, 1 LTO-IR image (compute_90)"; empty if
/// there are no images.
std::string images_without_kernels_text(const std::vector<binary_image>& images);

}  // namespace launchbox
