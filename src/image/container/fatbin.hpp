// Fat binaries: the containers in which nvcc puts images for several architectures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"

namespace launchbox {

enum class fatbin_compression { stored, lz4, zstd };

/// One image in a fat binary.
struct fatbin_entry {
    std::uint64_t offset = 0;  ///< of its header, from the start of the container
    std::uint16_t kind = 0;    ///< see the constants below
    int architecture = 0;      ///< 90
    char variant = 0;          ///< 'a', 'f' or 0
    bool debug = false;
    fatbin_compression compression = fatbin_compression::stored;
    std::uint64_t payload_offset = 0;      ///< from the start of the container
    std::string_view payload;              ///< as stored, with up to 7 bytes of padding if it is not compressed
    std::uint64_t decompressed_bytes = 0;  ///< of `payload` itself where it is stored

    static constexpr std::uint16_t ptx = 1, cubin = 2, lto_ir = 8,
                                   tile_ir = 128;  ///< since CUDA 13.1; fatbinary 13.5 writes it
};

struct fatbin_contents {
    std::uint64_t size = 0;     ///< of the container with its header; if it is broken, of the readable part
    std::uint64_t claimed = 0;  ///< the size in its header, at most to the end of the bytes
    std::vector<fatbin_entry> entries;
};

inline constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";

/// Whether a container can start here: the magic number, a known version, and an entry that looks like one. Random
/// bytes pass with a probability of 2^-120, machine code that compares with the magic number does not.
bool is_fatbin(std::string_view bytes);

/// Reads the container at the start of `bytes`. Every error becomes a diagnostic with its offset; the entries before it
/// are returned. `nullopt` if there is no container.
std::optional<fatbin_contents> read_fatbin(std::string_view bytes, std::vector<image_diagnostic>& diagnostics);

}  // namespace launchbox
