#include "image/container/fatbin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "containers.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

struct fatbin_reading {
    std::optional<fatbin_contents> contents;
    std::vector<image_diagnostic> diagnostics;
};

// Keeps the bytes alive, because entries are views into them.
fatbin_reading read_all_of(std::string bytes)
{
    static std::deque<std::string> kept;
    fatbin_reading result;
    result.contents = read_fatbin(kept.emplace_back(std::move(bytes)), result.diagnostics);
    return result;
}

bool says(const std::vector<image_diagnostic>& diagnostics, std::uint64_t offset, const std::string& words)
{
    return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const image_diagnostic& diagnostic) {
        return diagnostic.offset == offset && diagnostic.what.find(words) != std::string::npos;
    });
}

TEST(fatbin, reads_every_field_of_its_entries)
{
    const std::string bytes = make_fatbin({
        {.payload = "stored bytes", .architecture = 90, .flags = flag_a | 0x2},
        {.kind = 1,
         .payload = "12345678",
         .architecture = 100,
         .flags = flag_zstd | flag_f,
         .compressed = 5,
         .decompressed = 77,
         .header = 152},
        {.kind = 8, .payload = "abc", .architecture = 75, .flags = flag_lz4, .compressed = 3, .decompressed = 9},
        {.kind = 64, .payload = "", .architecture = 80},
    });
    ASSERT_TRUE(is_fatbin(bytes));
    const auto [contents, diagnostics] = read_all_of(bytes + "what follows");
    EXPECT_TRUE(diagnostics.empty());
    ASSERT_TRUE(contents);
    EXPECT_EQ(contents->size, bytes.size());
    EXPECT_EQ(contents->claimed, bytes.size());
    ASSERT_EQ(contents->entries.size(), 4u);

    const fatbin_entry& first = contents->entries[0];
    EXPECT_EQ(first.offset, 16u);
    EXPECT_EQ(first.kind, fatbin_entry::cubin);
    EXPECT_EQ(first.architecture, 90);
    EXPECT_EQ(first.variant, 'a');
    EXPECT_TRUE(first.debug);
    EXPECT_EQ(first.compression, fatbin_compression::stored);
    EXPECT_EQ(first.payload_offset, 80u);
    EXPECT_EQ(first.payload, std::string("stored bytes\0\0\0\0", 16));
    EXPECT_EQ(first.decompressed_bytes, 16u);

    const fatbin_entry& second = contents->entries[1];
    EXPECT_EQ(second.offset, 96u);
    EXPECT_EQ(second.kind, fatbin_entry::ptx);
    EXPECT_EQ(second.variant, 'f');
    EXPECT_FALSE(second.debug);
    EXPECT_EQ(second.compression, fatbin_compression::zstd);
    EXPECT_EQ(second.payload_offset, 96u + 152u);
    EXPECT_EQ(second.payload, "12345");
    EXPECT_EQ(second.decompressed_bytes, 77u);

    EXPECT_EQ(contents->entries[2].kind, fatbin_entry::lto_ir);
    EXPECT_EQ(contents->entries[2].compression, fatbin_compression::lz4);
    EXPECT_EQ(contents->entries[2].payload, "abc");
    EXPECT_EQ(contents->entries[2].variant, '\0');
    EXPECT_EQ(contents->entries[3].kind, 64);
    EXPECT_EQ(contents->entries[3].payload, "");
}

TEST(fatbin, other_data_is_refused)
{
    const std::string good = make_fatbin({{.payload = "12345678"}});
    const auto changed = [&](std::size_t offset, auto value) {
        std::string bytes = good;
        put(bytes, offset, value);
        return bytes;
    };
    for (const std::string& bytes :
         {std::string(), good.substr(0, 15), std::string("\x50\xed\x55\xba"), std::string(100, 'x'),
          changed(0, std::uint32_t{0x1ee55a01}), changed(4, std::uint16_t{2}), changed(6, std::uint16_t{24})}) {
        EXPECT_FALSE(is_fatbin(bytes));
        const auto [contents, diagnostics] = read_all_of(bytes);
        EXPECT_FALSE(contents);
        EXPECT_EQ(diagnostics.size(), 1u);
    }
    // The header is that of a container, but no entry follows.
    for (const std::string& bytes :
         {good.substr(0, 79), changed(18, std::uint16_t{0x0102}), changed(20, std::uint32_t{63}),
          changed(20, std::uint32_t{66}), changed(20, std::uint32_t{0x80000000})})
        EXPECT_FALSE(is_fatbin(bytes));
}

TEST(fatbin, entries_before_a_damaged_one_are_kept)
{
    const made_entry one{.payload = "12345678"};
    const std::string good = make_fatbin({one, one, one});
    constexpr std::size_t second = 16 + 72;
    const auto changed = [&](std::size_t offset, auto value) {
        std::string bytes = good;
        put(bytes, offset, value);
        return read_all_of(bytes);
    };
    {
        const auto [contents, diagnostics] = changed(second + 2, std::uint16_t{0x0202});
        EXPECT_EQ(contents->entries.size(), 1u);
        EXPECT_TRUE(says(diagnostics, second, "version 514"));
        EXPECT_EQ(contents->size, second);  // the search continues there
        EXPECT_EQ(contents->claimed, good.size());
    }
    for (const std::uint64_t claim :
         {std::uint64_t{81}, std::uint64_t{1} << 40, ~std::uint64_t{0}, ~std::uint64_t{0} - 63}) {
        const auto [contents, diagnostics] = changed(second + 8, claim);
        EXPECT_EQ(contents->entries.size(), 1u) << claim;
        EXPECT_TRUE(says(diagnostics, second + 8, std::to_string(claim))) << claim;
        EXPECT_EQ(diagnostics.size(), 1u);
    }
    for (const std::uint32_t header : {0u, 8u, 56u, 65u, 1u << 31, ~0u}) {
        const auto [contents, diagnostics] = changed(second + 4, header);
        EXPECT_EQ(contents->entries.size(), 1u) << header;
        EXPECT_EQ(diagnostics.size(), 1u) << header;
    }
    {  // the header is longer than the rest of the file
        const auto [contents, diagnostics] = changed(second + 4, std::uint32_t{65536});
        EXPECT_EQ(contents->entries.size(), 1u);
        EXPECT_EQ(diagnostics.size(), 1u);
    }
}

TEST(fatbin, a_size_beyond_the_file_is_truncated)
{
    const made_entry one{.payload = "12345678"};
    std::string bytes = make_fatbin({one, one});
    for (const std::uint64_t claim : {std::uint64_t{145}, std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
        put(bytes, 8, claim);
        const auto [contents, diagnostics] = read_all_of(bytes);
        EXPECT_EQ(contents->entries.size(), 2u);
        EXPECT_EQ(contents->size, bytes.size());
        EXPECT_TRUE(says(diagnostics, 8, std::to_string(claim) + " bytes, but only 144 are there"));
        EXPECT_EQ(diagnostics.size(), 1u);
    }
}

TEST(fatbin, a_size_smaller_than_the_content_ends_it)
{
    const made_entry one{.payload = "12345678"};
    std::string bytes = make_fatbin({one, one});
    put(bytes, 8, std::uint64_t{72});
    const auto [contents, diagnostics] = read_all_of(bytes);
    EXPECT_EQ(contents->entries.size(), 1u);
    EXPECT_EQ(contents->size, 88u);
    EXPECT_TRUE(diagnostics.empty());

    put(bytes, 8, std::uint64_t{80});
    const auto [cut, of_cut] = read_all_of(bytes);
    EXPECT_EQ(cut->entries.size(), 1u);
    EXPECT_TRUE(says(of_cut, 88, "cut off"));
}

TEST(fatbin, doubtful_fields_are_reported)
{
    const auto of = [](made_entry entry) { return read_all_of(make_fatbin({std::move(entry)})); };
    {
        const auto [contents, diagnostics] =
            of({.payload = "12345678", .flags = flag_lz4 | flag_zstd, .compressed = 8, .decompressed = 8});
        EXPECT_TRUE(says(diagnostics, 16 + 40, "both LZ4 and zstd"));
        EXPECT_EQ(contents->entries.at(0).compression, fatbin_compression::zstd);
    }
    {
        const auto [contents, diagnostics] = of({.payload = "12345678", .compressed = 8, .decompressed = 100});
        EXPECT_TRUE(says(diagnostics, 16 + 40, "compressed in an unknown way"));
        EXPECT_EQ(contents->entries.at(0).compression, fatbin_compression::stored);
        EXPECT_EQ(contents->entries.at(0).decompressed_bytes, 8u);
    }
    {
        const auto [contents, diagnostics] =
            of({.payload = "12345678", .flags = flag_zstd, .compressed = ~0u, .decompressed = 100});
        EXPECT_TRUE(says(diagnostics, 16 + 16, "4294967295 compressed bytes of 8"));
        EXPECT_EQ(contents->entries.at(0).payload, "12345678");
    }
    for (const std::uint32_t number : {1000u, ~0u}) {
        const auto [contents, diagnostics] = of({.payload = "12345678", .architecture = number});
        EXPECT_TRUE(says(diagnostics, 16 + 28, std::to_string(number)));
        EXPECT_EQ(contents->entries.at(0).architecture, 0);
    }
}

// Everything from nvcc is read completely and without diagnostics.
TEST(fatbin, reads_what_nvcc_writes)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = "__global__ void k(int* p) { p[threadIdx.x] = 1; }";
    for (const std::string mode : {"default", "size", "speed", "balance", "none"}) {
        const compiled made =
            compile({"nvcc", "-fatbin", "--compress-mode=" + mode, "-gencode=arch=compute_75,code=[sm_75,compute_75]",
                     "-gencode=arch=compute_90a,code=sm_90a"},
                    source, ".cu");
        ASSERT_EQ(made.exit_code, 0) << made.log;
        const auto [contents, diagnostics] = read_all_of(made.image);
        EXPECT_TRUE(diagnostics.empty()) << diagnostics.front().what;
        ASSERT_TRUE(contents);
        EXPECT_EQ(contents->size, made.image.size());
        ASSERT_EQ(contents->entries.size(), 3u);
        std::string seen;
        for (const fatbin_entry& entry : contents->entries) {
            seen += std::to_string(entry.kind) + ":" + std::to_string(entry.architecture) +
                    (entry.variant != 0 ? std::string(1, entry.variant) : "") + " ";
            const bool ptx = entry.kind == fatbin_entry::ptx;
            if (mode == "none") {
                EXPECT_EQ(entry.compression, fatbin_compression::stored);
            }
            if (mode == "size") {
                EXPECT_EQ(entry.compression, fatbin_compression::zstd);
            }
            if (mode == "speed" && ptx) {
                EXPECT_EQ(entry.compression, fatbin_compression::lz4);
            }
            EXPECT_EQ(entry.decompressed_bytes > entry.payload.size(), entry.compression != fatbin_compression::stored);
        }
        std::vector<std::string> words{"1:75", "2:75", "2:90a"};
        for (const std::string& word : words) EXPECT_NE(seen.find(word + " "), std::string::npos) << seen;
    }
}

}  // namespace
}  // namespace launchbox
