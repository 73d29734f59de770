// Finds compiled CUDA code in a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/container/fatbin.hpp"
#include "image/container/image_diagnostic.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {

/// One image in the file.
struct located_image {
    std::string container;         ///< as in `kernel_source`
    std::size_t container_id = 0;  ///< equal for all images of one container
    fatbin_entry entry;            ///< outside a fat binary: only kind, payload and size
    std::size_t entry_number = 0;  ///< in its container, from 1; 0: not in a fat binary
    std::uint64_t offset = 0;      ///< of the payload in the file
    bool before_linking = false;   ///< in a section for the device linker, which the driver does not read
};

struct image_scan {
    std::string kind;  ///< as in `binary_contents`
    std::vector<located_image> images;
    std::vector<image_diagnostic> diagnostics;  ///< `offset` in the file
};

/// Finds fat binaries and cubins anywhere in a file: NVIDIA's libraries have them in half a dozen sections. Data that
/// only resembles one is skipped. Damage in a section that contains nothing else is a diagnostic, and so is a cubin
/// that claims not to be 64-bit and little-endian. Views into `bytes`. `data`: the parts of a sparse file that exist;
/// if empty, all of it.
image_scan scan_for_images(std::string_view bytes, unsigned jobs = 1, const std::vector<byte_range>& data = {});

/// Whether `scan_for_images` would find or report anything in a file that may be text.
bool holds_image(std::string_view bytes);

/// The size of the cubin at the beginning of `bytes`; `nullopt` if it claims to be longer than that, or cannot be read.
std::optional<std::uint64_t> cubin_size(std::string_view bytes);

/// The next position from `from` on where a fat binary or an ELF image can start, by their first two and three bytes;
/// the size of `bytes` if there is none.
std::size_t find_magic(std::string_view bytes, std::size_t from);

}  // namespace launchbox
