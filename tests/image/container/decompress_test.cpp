#include "image/container/decompress.hpp"

#include <gtest/gtest.h>
#include <lz4.h>
#include <sys/mman.h>
#include <zstd.h>

#include <limits>

namespace launchbox {
namespace {

using enum fatbin_compression;

std::string packed_zstd(const std::string& text)
{
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
}

std::string packed_lz4(const std::string& text)
{
    std::string packed(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
    packed.resize(static_cast<std::size_t>(LZ4_compress_default(
        text.data(), packed.data(), static_cast<int>(text.size()), static_cast<int>(packed.size()))));
    return packed;
}

std::string packed(const std::string& text, fatbin_compression how)
{
    return how == zstd ? packed_zstd(text) : packed_lz4(text);
}

std::string some_text()
{
    std::string text;
    for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * 7919 % 1000) + "\n";
    return text;
}

// The error message for data that cannot be read.
std::string refusal(std::string_view payload, fatbin_compression how, std::uint64_t size)
{
    decompressor unpack;
    std::string diagnostic;
    EXPECT_FALSE(unpack.decompress(payload, how, size, diagnostic));
    EXPECT_FALSE(diagnostic.empty());
    return diagnostic;
}

TEST(decompress, gives_the_same_bytes_repeatedly)
{
    decompressor unpack;
    std::string diagnostic;
    const std::string text = some_text(), longer = text + text + text, single = "x";
    for (const std::string* entry : {&text, &longer, &single, &text})
        for (const fatbin_compression how : {zstd, lz4}) {
            EXPECT_EQ(unpack.decompress(packed(*entry, how), how, entry->size(), diagnostic), *entry);
            EXPECT_EQ(diagnostic, "");
        }
    EXPECT_EQ(unpack.decompress(text, stored, 5, diagnostic)->data(), text.data());
}

TEST(decompress, a_size_other_than_the_stated_one_is_an_error)
{
    const std::string text = some_text();
    for (const fatbin_compression how : {zstd, lz4}) {
        const std::string payload = packed(text, how);
        refusal(payload, how, text.size() - 1);
        refusal(payload, how, text.size() + 1);
        refusal(payload, how, 1);
        EXPECT_NE(refusal(payload, how, 0).find("does not say how large"), std::string::npos);
    }
}

TEST(decompress, truncated_and_damaged_data_are_errors)
{
    const std::string text = some_text();
    for (const fatbin_compression how : {zstd, lz4}) {
        const std::string payload = packed(text, how);
        for (std::size_t length = 0; length < payload.size(); length += 1 + length / 16) {
            const std::vector<char> cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(length));
            refusal({cut.data(), cut.size()}, how, text.size());
        }
        refusal(payload + "trailing", how, text.size());
        refusal(std::string(payload.size(), '\xff'), how, text.size());
        refusal(packed(text, how == zstd ? lz4 : zstd), how, text.size());
    }
}

// A zstd frame may omit its size; then the size in the entry must be right.
TEST(decompress, a_frame_without_its_size_is_read)
{
    const std::string text = some_text();
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    std::string payload(ZSTD_compressBound(text.size()), '\0');
    payload.resize(ZSTD_compress2(context, payload.data(), payload.size(), text.data(), text.size()));
    ZSTD_freeCCtx(context);
    ASSERT_EQ(ZSTD_getFrameContentSize(payload.data(), payload.size()), ZSTD_CONTENTSIZE_UNKNOWN);
    decompressor unpack;
    std::string diagnostic;
    EXPECT_EQ(unpack.decompress(payload, zstd, text.size(), diagnostic), text);
    refusal(payload, zstd, text.size() + 1);
    refusal(payload, zstd, text.size() - 1);
}

// Checked before memory is allocated: petabytes would throw, and gigabytes would be slow.
TEST(decompress, no_stated_size_causes_an_allocation_above_the_limit)
{
    for (const fatbin_compression how : {zstd, lz4}) {
        const std::string payload = packed(some_text(), how);
        for (const std::uint64_t claim : {max_decompressed_bytes + 1, std::uint64_t{1} << 40, std::uint64_t{1} << 50,
                                          std::numeric_limits<std::uint64_t>::max()})
            EXPECT_NE(refusal(payload, how, claim).find(std::to_string(claim) + " bytes of memory; 1 GiB"),
                      std::string::npos);
    }
}

TEST(decompress, bombs_are_detected_by_their_ratio)
{
    // 64 MB of zeros in a few KB: zstd compresses them 16,000 : 1, which no real image reaches.
    const std::string zeros(std::size_t{64} << 20, '\0');
    const std::string payload = packed_zstd(zeros);
    ASSERT_LT(payload.size() * 1000 + 64, zeros.size());
    EXPECT_NE(refusal(payload, zstd, zeros.size()).find("a decompression bomb, or damage"), std::string::npos);
    // LZ4 cannot reach more than 255 : 1.
    EXPECT_NE(refusal(std::string(1000, '\0'), lz4, 255'065).find("a decompression bomb, or damage"),
              std::string::npos);
    EXPECT_EQ(refusal(std::string(1000, '\0'), lz4, 255'064), "damaged LZ4 data");
    // The highest ratio of LZ4 is accepted.
    const std::string same(1 << 20, 'a');
    decompressor unpack;
    std::string diagnostic;
    EXPECT_EQ(unpack.decompress(packed_lz4(same), lz4, same.size(), diagnostic), same);
}

// LZ4 has sizes of type `int`. The pages are never touched.
TEST(decompress, lz4_data_of_more_than_2_gib_are_refused)
{
    const std::size_t size = (std::size_t{1} << 31) + 4096;
    void* const pages = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    EXPECT_NE(refusal({static_cast<const char*>(pages), size}, lz4, 1 << 20).find("LZ4"), std::string::npos);
    ::munmap(pages, size);
}

}  // namespace
}  // namespace launchbox
