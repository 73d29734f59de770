// nvcc's code for launch_box.cuh: its size compared with a switch over the rows, and that it equals handwritten code.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "launch_box/workshop.hpp"
#include "scale.hpp"

namespace launchbox {
namespace {

const char* const sort_with_launch_box =
    "#include \"tile_sort.cuh\"\n"
    "template <class Key> struct sort {\n"
    "    using tuning = table;\n"
    "    static constexpr int dynamic_shared_bytes(row r) { return r.threads * r.items * int{sizeof(Key)}; }\n"
    "    template <row r> static __device__ void run(Key* data) { sort_tile<r>(data); }\n"
    "};\n"
    "void use(unsigned* a, unsigned long long* b, int count)\n"
    "{\n"
    "    launchbox::launch<sort<unsigned>>(nullptr, count, a);\n"
    "    launchbox::launch<sort<unsigned long long>>(nullptr, count, b);\n"
    "}\n";

const char* const sort_with_a_switch =
    "#include \"tile_sort.cuh\"\n"
    "template <row r, class Key>\n"
    "__global__ void __launch_bounds__(r.threads, r.min_blocks) sort(Key* data) { sort_tile<r>(data); }\n"
    "template <row r, class Key> void launch_one(Key* data, int count)\n"
    "{\n"
    "    const int tile = r.threads * r.items, bytes = tile * int{sizeof(Key)};\n"
    "    cudaFuncSetAttribute(sort<r, Key>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);\n"
    "    sort<r, Key><<<(count + tile - 1) / tile, r.threads, bytes>>>(data);\n"
    "}\n"
    "template <class Key> void launch(Key* data, int count, int architecture)\n"
    "{\n"
    "    switch (architecture) {\n"
    "    case 75: return launch_one<rows[0]>(data, count);\n"
    "    case 80: return launch_one<rows[1]>(data, count);\n"
    "    case 90: return launch_one<rows[2]>(data, count);\n"
    "    case 100: return launch_one<rows[3]>(data, count);\n"
    "    default: return launch_one<rows[4]>(data, count);\n"
    "    }\n"
    "}\n"
    "void use(unsigned* a, unsigned long long* b, int count, int architecture)\n"
    "{\n"
    "    launch(a, count, architecture);\n"
    "    launch(b, count, architecture);\n"
    "}\n";

struct built_size {
    std::size_t object_bytes = 0;
    std::int64_t text_bytes = 0;
};

built_size size_of(const std::string& source, std::size_t kernels_per_image)
{
    const workshop shop;
    shop.write("unit.cu", source);
    // One of the five architectures with a row is enough for every change: the ratio is that of one image.
    std::vector<std::string> command{"-O2", code("90", "sm_90"), "-c", "unit.cu", "-o", "unit.o"};
    if (is_exhaustive())
        for (const char* const other : {"75", "80", "100", "120"})
            command.push_back(code(other, std::string("sm_") + other));
    shop.nvcc(command);
    built_size size{.object_bytes = shop.bytes("unit.o").size()};
    const std::vector<image> images = shop.images("unit.o");
    EXPECT_EQ(images.size(), is_exhaustive() ? 5u : 1u);
    for (const image& one : images) {
        EXPECT_EQ(one.kernels.size(), kernels_per_image) << one.architecture;
        for (const auto& [name, kernel] : one.kernels) size.text_bytes += kernel.figures.code_bytes.value_or(0);
    }
    return size;
}

TEST(launch_box_code, less_than_half_the_code_of_a_switch_over_the_rows)
{
    SKIP_WITHOUT_NVCC();
    const built_size box = size_of(sort_with_launch_box, 3), by_switch = size_of(sort_with_a_switch, 10);
    EXPECT_GT(by_switch.text_bytes, 2 * box.text_bytes);
    if (is_exhaustive()) {
        EXPECT_GT(by_switch.object_bytes, box.object_bytes);
    }
    const double text = static_cast<double>(by_switch.text_bytes) / static_cast<double>(box.text_bytes);
    const double object = static_cast<double>(by_switch.object_bytes) / static_cast<double>(box.object_bytes);
    RecordProperty("text_ratio", std::to_string(text));
    RecordProperty("object_ratio", std::to_string(object));
    std::cout << "text " << box.text_bytes << " B, with a switch " << by_switch.text_bytes << " B: " << text
              << " x\nobject " << box.object_bytes << " B, with a switch " << by_switch.object_bytes << " B: " << object
              << " x\n";
}
// The kernel of a body next to the same kernel written by hand, with and without the guard.
const char* const by_hand =
    "#include <launchbox/launch_box.cuh>\n"
    "struct row { int threads, items, min_blocks = 0; };\n"
    "template <int threads, int items> __device__ void scale(float* data, float by, int count)\n"
    "{\n"
    "    const int first = static_cast<int>(blockIdx.x) * threads * items + static_cast<int>(threadIdx.x);\n"
    "    for (int i = 0; i < items; ++i)\n"
    "        if (const int at = first + i * threads; at < count) data[at] = data[at] * by + 1;\n"
    "}\n"
    "struct body {\n"
    "    using tuning = launchbox::launch_box<launchbox::sm<80, row{256, 11, 2}>>;\n"
    "    template <row r> static __device__ void run(float* data, float by, int count)\n"
    "    {\n"
    "        scale<r.threads, r.items>(data, by, count);\n"
    "    }\n"
    "};\n"
    "__global__ void __launch_bounds__(256, 2) guarded(unsigned long wanted, float* data, float by, int count)\n"
    "{\n"
    "    constexpr unsigned char bytes[] = {0, 1, 0, 0, 11, 0, 0, 0, 2, 0, 0, 0};\n"
    "    unsigned long own = 14695981039346656037u;  // FNV-1a\n"
    "    for (unsigned char byte : bytes) own = (own ^ byte) * 1099511628211u;\n"
    "    if (own != wanted) __trap();\n"
    "    scale<256, 11>(data, by, count);\n"
    "}\n"
    "__global__ void __launch_bounds__(256, 2) unguarded(unsigned long, float* data, float by, int count)\n"
    "{\n"
    "    scale<256, 11>(data, by, count);\n"
    "}\n"
    "void use(float* data, int count) { launchbox::launch<body>(nullptr, count, data, 2, count); }\n";

TEST(launch_box_code, the_machine_code_equals_that_of_a_handwritten_kernel)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    shop.write("unit.cu", by_hand);
    shop.nvcc(
        {code("80", "sm_80"), code("90", "sm_90"), code("120", "sm_120"), "-fatbin", "unit.cu", "-o", "unit.fatbin"});
    const std::vector<image> images = shop.images("unit.fatbin");
    EXPECT_EQ(images.size(), 3u);
    for (const image& one : images) {
        SCOPED_TRACE(one.architecture);
        const kernel_info &tuned = one["body"], &guarded = one["guarded"], &unguarded = one["unguarded"];
        ASSERT_TRUE(tuned.figures.code_hash && tuned.figures.code_bytes && unguarded.figures.code_bytes);
        EXPECT_EQ(tuned.figures.code_hash, guarded.figures.code_hash);
        EXPECT_EQ(tuned.figures.code_bytes, guarded.figures.code_bytes);
        EXPECT_EQ(tuned.figures.registers, guarded.figures.registers);
        EXPECT_EQ(tuned.figures.parameter_bytes, guarded.figures.parameter_bytes);
        EXPECT_NE(tuned.figures.code_hash, unguarded.figures.code_hash);
        EXPECT_LE(*tuned.figures.code_bytes - *unguarded.figures.code_bytes, 128);
        std::cout << one.architecture << ": " << *tuned.figures.code_bytes << " B, without the guard "
                  << *unguarded.figures.code_bytes << " B, registers " << tuned.figures.registers.value_or(0) << " and "
                  << unguarded.figures.registers.value_or(0) << "\n";
    }
}

}  // namespace
}  // namespace launchbox
