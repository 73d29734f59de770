// Replaces src/image/container/decompress.cpp if the sources of zstd and LZ4 are missing: images stored uncompressed
// can be read, compressed ones are reported.
// SPDX-License-Identifier: Apache-2.0
#include "image/container/decompress.hpp"

namespace launchbox {

struct decompressor::zstd_state {};

decompressor::decompressor() = default;
decompressor::~decompressor() = default;

void decompressor::free_buffer()
{
    buffer_.reset();
    capacity_ = 0;
}

std::optional<std::string_view> decompressor::decompress(std::string_view payload, fatbin_compression compression,
                                                         std::uint64_t, std::string& diagnostic)
{
    if (compression == fatbin_compression::stored) return payload;
    diagnostic = "a compressed image: this page cannot read it, but launchbox inspect can";
    return std::nullopt;
}

}  // namespace launchbox
