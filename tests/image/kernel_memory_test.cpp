// Small files that would take much memory: the memory is limited, and the message says which limit was reached.
#include "image/kernel_memory.hpp"

#include <zstd.h>

#include <random>
#include <string>

#include "containers.hpp"
#include "flat_binary.hpp"
#include "image/binary.hpp"

namespace launchbox {
namespace {

std::string zstd_of(const std::string& text)
{
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
}

made_entry packed_ptx(const std::string& text)
{
    const std::string packed = zstd_of(text);
    return {.kind = 1,
            .payload = packed,
            .architecture = 90,
            .flags = flag_zstd,
            .compressed = static_cast<std::uint32_t>(packed.size()),
            .decompressed = text.size()};
}

std::string ptx_of(int kernels, const std::string& name)
{
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
    for (int i = 0; i < kernels; ++i) text += ".entry " + name + std::to_string(i) + "(){}\n";
    return text;
}

std::string three_images()
{
    return make_fatbin({packed_ptx(ptx_of(1000, "a")), packed_ptx(ptx_of(1000, "b")), packed_ptx(ptx_of(1000, "c"))});
}

// Text that is not so compressible that it counts as a bomb.
std::string noise(std::size_t length)
{
    std::mt19937 random(1);
    std::string text(length, '\0');
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
    return text;
}

constexpr std::uint64_t for_1500 = 1500 * (sizeof(kernel_info) + 256);

TEST(kernel_memory, the_memory_of_one_file_is_limited_and_the_limit_is_named)
{
    const std::string file = three_images();
    const flat_contents all = read_flat(file, "-", {.jobs = 1});
    EXPECT_EQ(all.kernels.size(), 3000U);
    EXPECT_TRUE(all.diagnostics.empty());

    const flat_contents some = read_flat(file, "-", {.jobs = 1, .max_kernel_bytes = for_1500});
    EXPECT_EQ(some.kernels.size(), 1500U);
    EXPECT_EQ(some.images.size(), 3U);
    ASSERT_EQ(some.diagnostics.size(), 1U);
    EXPECT_EQ(some.diagnostics[0].what,
              "not all kernels of 2 of 3 images were read: the kernels of one file may take " +
                  std::to_string(for_1500) + " bytes of memory");
    EXPECT_EQ(some.diagnostics[0].offset, some.images[1].offset);
}

TEST(kernel_memory, files_of_one_run_share_a_limit)
{
    const std::string file = make_fatbin({packed_ptx(ptx_of(1000, "a"))});
    kernel_memory run(for_1500);
    EXPECT_EQ(read_flat(file, "1", {.jobs = 1, .memory_of_run = &run}).kernels.size(), 1000U);
    const flat_contents second = read_flat(file, "2", {.jobs = 1, .memory_of_run = &run});
    EXPECT_EQ(second.kernels.size(), 500U);
    ASSERT_EQ(second.diagnostics.size(), 1U);
    EXPECT_NE(second.diagnostics[0].what.find("all files together"), std::string::npos) << second.diagnostics[0].what;
    const flat_contents third = read_flat(file, "3", {.jobs = 1, .memory_of_run = &run});
    EXPECT_EQ(third.kernels.size(), 0U);
    EXPECT_EQ(third.diagnostics.size(), 1U);
}

TEST(kernel_memory, long_names_count)
{
    const std::string file = make_fatbin({packed_ptx(ptx_of(1000, noise(10'000)))});
    EXPECT_EQ(read_flat(file, "-", {.jobs = 1}).kernels.size(), 1000U);
    EXPECT_LT(read_flat(file, "-", {.jobs = 1, .max_kernel_bytes = for_1500}).kernels.size(), 250U);
}

TEST(kernel_memory, threads_wait_for_the_memory_of_decompressed_images)
{
    std::vector<made_entry> entries;
    for (int i = 0; i < 40; ++i) entries.push_back(packed_ptx(ptx_of(20 * (i % 7 + 1), "k" + std::to_string(i) + "_")));
    const std::string file = make_fatbin(entries);
    const flat_contents all = read_flat(file, "-", {.jobs = 4});
    for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{3000}, std::uint64_t{8000}}) {
        const flat_contents one_by_one = read_flat(file, "-", {.jobs = 4, .max_decompressed_at_once = limit});
        EXPECT_EQ(one_by_one.kernels, all.kernels) << limit;
        EXPECT_TRUE(one_by_one.diagnostics.empty());
    }
}

// Blocks outside kernels are read but not kept.
TEST(kernel_memory, blocks_outside_kernels_take_no_memory)
{
    std::string text = ".version 8.0\n// " + noise(10'000) + "\n.target sm_90\n.extern .shared .align 4 .b8 s[];\n";
    for (int i = 0; i < 100'000; ++i) text += "{}";
    text += ".func f() { s }\n.entry direct() { s }\n.entry calling() { call f; }\n.entry neither() { }\n";
    const flat_contents contents = read_flat(make_fatbin({packed_ptx(text)}), "-", {.jobs = 1});
    ASSERT_EQ(contents.kernels.size(), 3U);
    EXPECT_EQ(contents.kernels[0].launches.uses_dynamic_shared, true);
    EXPECT_EQ(contents.kernels[1].launches.uses_dynamic_shared, true);
    EXPECT_EQ(contents.kernels[2].launches.uses_dynamic_shared, false);
}

}  // namespace
}  // namespace launchbox
