// Decompresses images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "image/container/fatbin.hpp"

namespace launchbox {

/// The largest image that is decompressed: 1 GiB. The largest seen has 134 MB.
inline constexpr std::uint64_t max_decompressed_bytes = std::uint64_t{1} << 30;

/// Decompresses one image after another into a buffer that grows to the largest. One for each thread.
class decompressor {
public:
    decompressor();
    ~decompressor();
    decompressor(const decompressor&) = delete;
    decompressor& operator=(const decompressor&) = delete;

    /// The image, valid until the next call; a stored one is returned unchanged. `nullopt`, with a sentence in
    /// `diagnostic`, if the data are damaged, or claim to expand to more than `max_decompressed_bytes` or than their
    /// method allows; both are checked before memory is allocated.
    std::optional<std::string_view> decompress(std::string_view payload, fatbin_compression compression,
                                               std::uint64_t decompressed_bytes, std::string& diagnostic);

    /// Size of the buffer: an image that fits into it needs no further memory.
    [[nodiscard]] std::size_t buffer_bytes() const { return capacity_; }
    void free_buffer();

private:
    struct zstd_state;
    std::unique_ptr<zstd_state> zstd_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
};

}  // namespace launchbox
