// Damaged and forged images: whatever the input, the readers return and report what they could not read. The sanitizers
// (preset "asan") find what these tests cannot detect themselves.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "image/container/elf.hpp"
#include "image/cubin.hpp"
#include "image/ptx/ptx.hpp"
#include "kernels.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

const std::string& sample_cubin()
{
    static const std::string image =
        compile_cuda(plain_kernels + callee_kernels, "sm_90", {"--generate-line-info"}).image;
    return image;
}

std::string shared_cubin()
{
    return compile_cuda(
               "__global__ void __launch_bounds__(64, 2) k(int* p) { __shared__ int s[64]; "
               "s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[63 - threadIdx.x]; }",
               "sm_90")
        .image;
}

// Reads every value, for the sanitizers.
std::size_t digest(const std::vector<kernel_info>& kernels, const std::vector<image_diagnostic>& diagnostics)
{
    std::size_t sum = 0;
    for (const kernel_info& kernel : kernels) {
        const kernel_info copy = kernel;
        sum += kernel.name.size() + (copy == kernel ? 1 : 0);
    }
    for (const image_diagnostic& diagnostic : diagnostics) {
        EXPECT_FALSE(diagnostic.what.empty());
        sum += diagnostic.what.size();
    }
    EXPECT_LE(diagnostics.size(), max_image_diagnostics + 1);
    return sum;
}

TEST(hostile_image, every_truncation_of_a_cubin)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string image = shared_cubin();
    ASSERT_EQ(read_cubin(image, "-").kernels.size(), 1u);
    // A separate copy for each length, so that a read beyond the end is one beyond an allocation.
    for (std::size_t length = 0; length < image.size(); ++length) {
        const std::vector<char> cut(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(length));
        const cubin_contents cubin = read_cubin({cut.data(), cut.size()}, "-");
        digest(cubin.kernels, cubin.diagnostics);
        // Program headers come after the section headers; none of their content is read.
        if (length < read_number<std::uint64_t>(image, 40)) {
            EXPECT_FALSE(cubin.diagnostics.empty()) << length;
        }
    }
}

TEST(hostile_image, random_damage_to_a_cubin)
{
    SKIP_WITHOUT_TOOLKIT();
    std::mt19937 random(random_seed());
    const std::string small = shared_cubin();
    for (const std::string* image : {&small, &sample_cubin()}) {
        const auto place = [&](std::size_t from, std::size_t to) {
            return std::uniform_int_distribution<std::size_t>(from, to - 1)(random);
        };
        const std::size_t headers = read_number<std::uint64_t>(*image, 40);
        for (int round = 0; round < 3000; ++round) {
            std::vector<char> damaged(image->begin(), image->end());
            const std::size_t changes = 1 + place(0, 8);
            for (std::size_t i = 0; i < changes; ++i) {
                // Damage in the header and the section headers has the largest effect.
                const std::size_t at = place(0, 3) == 0   ? place(0, 64)
                                       : place(0, 2) == 0 ? place(headers, damaged.size())
                                                          : place(0, damaged.size());
                constexpr unsigned char values[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
                damaged[at] = static_cast<char>(place(0, 2) == 0 ? values[place(0, 6)] : place(0, 256));
            }
            const cubin_contents cubin = read_cubin({damaged.data(), damaged.size()}, "-");
            digest(cubin.kernels, cubin.diagnostics);
        }
    }
}

TEST(hostile_image, random_damage_to_ptx)
{
    SKIP_WITHOUT_TOOLKIT();
    std::mt19937 random(random_seed());
    const std::string text = compile({"nvcc", "-ptx", "-arch=sm_90"}, cluster_kernels + plain_kernels, ".cu").image;
    ASSERT_GT(read_ptx(text, "-").kernels.size(), 20u);
    const std::string letters = "{}()[],;.\"/*\\\n0x$% e";
    const auto pick = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    for (int round = 0; round < 500; ++round) {
        std::vector<char> damaged(text.begin(), text.end());
        for (std::size_t i = 0; i < 5; ++i) damaged[pick(damaged.size())] = letters[pick(letters.size())];
        damaged.resize(pick(damaged.size()));
        damaged.shrink_to_fit();
        const ptx_contents ptx = read_ptx({damaged.data(), damaged.size()}, "-");
        digest(ptx.kernels, ptx.diagnostics);
    }
}

TEST(hostile_image, other_files_are_not_cubins)
{
    for (const std::string bytes : {"", "\177", "\177ELF", "!<arch>\n", ".version 9.0"}) {
        const cubin_contents cubin = read_cubin(bytes, "-");
        EXPECT_EQ(cubin.diagnostics.size(), 1u);
        EXPECT_TRUE(cubin.kernels.empty());
    }
    const cubin_contents host = read_cubin(read_input("/proc/self/exe"), "-");
    ASSERT_EQ(host.diagnostics.size(), 1u);
    EXPECT_EQ(host.diagnostics[0].what, "not a cubin: an ELF image for another machine");
    EXPECT_TRUE(host.kernels.empty());
}

TEST(hostile_image, an_unknown_abi_is_reported_and_not_guessed)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string image = shared_cubin();
    image[8] = 9;
    const cubin_contents cubin = read_cubin(image, "-");
    EXPECT_EQ(cubin.architecture, "");
    ASSERT_EQ(cubin.diagnostics.size(), 1u);
    EXPECT_EQ(cubin.diagnostics[0].offset, 8u);
    ASSERT_EQ(cubin.kernels.size(), 1u);
    EXPECT_EQ(cubin.kernels[0].figures.static_shared_bytes, std::nullopt);
    EXPECT_EQ(cubin.kernels[0].figures.spill_store_bytes, std::nullopt);
    EXPECT_GT(cubin.kernels[0].figures.registers, 0);
}

// The older layout, which this compiler no longer writes: the same sections, another header.
TEST(hostile_image, abi_7_has_the_architecture_elsewhere)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string image = shared_cubin();
    image[7] = 0x33;
    image[8] = 7;
    const std::uint32_t version = 115, flags = 0x500000 | 0x500 | 80;
    std::memcpy(image.data() + 20, &version, 4);
    std::memcpy(image.data() + 48, &flags, 4);
    EXPECT_EQ(read_cubin(image, "-").architecture, "sm_80");
    EXPECT_EQ(read_cubin(image, "-").toolkit_version, 115);
    // Before 12.6 spills are not listed, but without a stack frame and without code that could be a spill there are
    // none.
    EXPECT_EQ(read_cubin(image, "-").kernels.at(0).figures.spill_store_bytes, 0);
    const std::size_t frame = image.find(std::string_view("\x04\x11\x08\x00", 4));
    ASSERT_NE(frame, std::string::npos);
    std::string framed = image;
    framed[frame + 8] = 16;
    EXPECT_EQ(read_cubin(framed, "-").kernels.at(0).figures.stack_frame_bytes, 16);
    EXPECT_EQ(read_cubin(framed, "-").kernels.at(0).figures.spill_store_bytes, 0);
    const std::uint32_t accelerated = 0x500000 | 0x800 | 90;
    std::memcpy(image.data() + 48, &accelerated, 4);
    EXPECT_EQ(read_cubin(image, "-").architecture, "sm_90a");
}

// If live registers are calculated, the code of kernels is read again: no byte of it may be read twice.
TEST(hostile_image, code_that_overlaps_is_examined_once)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string image = sample_cubin();
    const std::uint64_t code_at = image.size(), code_size = 1 << 20;
    const auto headers = read_number<std::uint64_t>(image, 40);
    std::vector<image_diagnostic> ignored;
    const std::optional<elf_image> elf = read_elf(sample_cubin(), ignored);
    ASSERT_TRUE(elf);
    std::size_t kernels = 0;
    for (std::size_t i = 0; i < elf->sections.size(); ++i) {
        if (!elf->sections[i].name.starts_with(".text.")) continue;
        ++kernels;
        std::memcpy(image.data() + headers + 64 * i + 24, &code_at, 8);
        std::memcpy(image.data() + headers + 64 * i + 32, &code_size, 8);
    }
    ASSERT_GT(kernels, 2u);
    image.resize(image.size() + code_size);
    std::size_t with_code = 0;
    const auto examine = [&](const cubin_examination& cubin) {
        for (const std::uint32_t section : cubin.sections) with_code += section != 0 ? 1 : 0;
    };
    const cubin_contents cubin = read_cubin(image, "-", {.examine = examine});
    EXPECT_EQ(with_code, 1u);
    EXPECT_GT(cubin.kernels.size(), with_code);
    EXPECT_EQ(cubin.diagnostics.front().what, "sections or names overlap; the rest is not read");
    with_code = 0;
    read_cubin(sample_cubin(), "-", {.examine = examine});
    EXPECT_EQ(with_code, cubin.kernels.size()) << "in an image that is as it should be, all have code";
}

// A million section headers that all claim the whole file as their attribute records.
TEST(hostile_image, overlapping_sections_do_not_make_it_quadratic)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string image = shared_cubin();
    const std::size_t headers = read_number<std::uint64_t>(image, 40);
    const std::size_t count = read_number<std::uint16_t>(image, 60);
    std::string info_header;
    for (std::size_t i = 1; i < count; ++i) {
        const std::string header = image.substr(headers + i * 64, 64);
        if (read_number<std::uint32_t>(header, 4) == 0x70000000 && read_number<std::uint32_t>(header, 44) != 0)
            info_header = header;
    }
    ASSERT_FALSE(info_header.empty());

    std::string records;  // flags: as many records as possible
    while (records.size() < (4u << 20)) records += std::string("\x01\x41\x00\x00", 4);
    const std::uint64_t records_at = image.size() + (8 - image.size() % 8) % 8;
    std::string hostile = image;
    hostile.resize(records_at);
    hostile += records;
    const std::uint64_t new_headers = hostile.size(), records_size = records.size(), many = 1'000'000;
    hostile += image.substr(headers, count * 64);
    std::memcpy(info_header.data() + 24, &records_at, 8);
    std::memcpy(info_header.data() + 32, &records_size, 8);
    for (std::size_t i = count; i < many; ++i) hostile += info_header;
    std::memcpy(hostile.data() + 40, &new_headers, 8);
    std::memset(hostile.data() + 60, 0, 2);
    std::memcpy(hostile.data() + new_headers + 32, &many, 8);
    const cubin_contents cubin = read_cubin(hostile, "-");
    EXPECT_EQ(cubin.kernels.size(), 1u);
    EXPECT_EQ(cubin.diagnostics.size(), max_image_diagnostics + 1);
    EXPECT_EQ(cubin.diagnostics.front().what, "sections or names overlap; the rest is not read");
}

}  // namespace
}  // namespace launchbox
