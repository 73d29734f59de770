// SPDX-License-Identifier: Apache-2.0
#include "image/container/decompress.hpp"

#include <lz4.h>
#include <zstd.h>

namespace launchbox {

namespace {

// The most that a hostile entry may claim to become, per compressed byte. LZ4 cannot exceed 255; the best seen from
// zstd is 134.
constexpr std::uint64_t max_lz4_ratio = 255, max_zstd_ratio = 1000, ratio_slack = 64;

std::optional<std::string> objection(std::string_view payload, fatbin_compression compression, std::uint64_t bytes);

}  // namespace

struct decompressor::zstd_state {
    ZSTD_DCtx* context = ZSTD_createDCtx();
    zstd_state() = default;
    zstd_state(const zstd_state&) = delete;
    zstd_state& operator=(const zstd_state&) = delete;
    ~zstd_state() { ZSTD_freeDCtx(context); }
};

decompressor::decompressor() : zstd_(std::make_unique<zstd_state>()) {}
decompressor::~decompressor() = default;

void decompressor::free_buffer()
{
    buffer_.reset();
    capacity_ = 0;
}

std::optional<std::string_view> decompressor::decompress(std::string_view payload, fatbin_compression compression,
                                                         std::uint64_t decompressed_bytes, std::string& diagnostic)
{
    if (compression == fatbin_compression::stored) return payload;
    if (auto why_not = objection(payload, compression, decompressed_bytes)) {
        diagnostic = std::move(*why_not);
        return std::nullopt;
    }
    const auto size = static_cast<std::size_t>(decompressed_bytes);
    if (size > capacity_) {
        free_buffer();  // first, so that both never exist at once
        buffer_ = std::make_unique_for_overwrite<char[]>(size);
        capacity_ = size;
    }
    if (compression == fatbin_compression::zstd) {
        const std::size_t got =
            ZSTD_decompressDCtx(zstd_->context, buffer_.get(), size, payload.data(), payload.size());
        if (ZSTD_isError(got) != 0) {
            diagnostic = std::string("damaged zstd data: ") + ZSTD_getErrorName(got);
            return std::nullopt;
        }
        if (got != size) {
            diagnostic = "zstd data of " + std::to_string(got) + " bytes instead of " + std::to_string(size);
            return std::nullopt;
        }
    } else {
        const int got = LZ4_decompress_safe(payload.data(), buffer_.get(), static_cast<int>(payload.size()),
                                            static_cast<int>(size));
        if (got < 0 || static_cast<std::size_t>(got) != size) {
            diagnostic = "damaged LZ4 data";
            return std::nullopt;
        }
    }
    return std::string_view(buffer_.get(), size);
}

namespace {

std::optional<std::string> objection(std::string_view payload, fatbin_compression compression, std::uint64_t bytes)
{
    const bool zstd = compression == fatbin_compression::zstd;
    if (bytes == 0) return "a compressed image that does not say how large it is";
    if (bytes > max_decompressed_bytes)
        return "an image that would take " + std::to_string(bytes) + " bytes of memory; 1 GiB is the limit";
    if (bytes > payload.size() * (zstd ? max_zstd_ratio : max_lz4_ratio) + ratio_slack)
        return std::to_string(payload.size()) + " bytes cannot unpack to " + std::to_string(bytes) +
               ": a decompression bomb, or damage";
    if (!zstd) {
        if (payload.size() > LZ4_MAX_INPUT_SIZE)  // its sizes are `int`
            return std::to_string(payload.size()) + " bytes of LZ4 data, which is more than LZ4 can make";
        return std::nullopt;
    }
    const unsigned long long said = ZSTD_getFrameContentSize(payload.data(), payload.size());
    if (said == ZSTD_CONTENTSIZE_ERROR) return "damaged zstd data: no frame";
    if (said != ZSTD_CONTENTSIZE_UNKNOWN && said != bytes)
        return "zstd data of " + std::to_string(said) + " bytes instead of " + std::to_string(bytes);
    return std::nullopt;
}

}  // namespace

}  // namespace launchbox
