// Spills by line: they sum to what ptxas prints, and belong to the lines on which the values are used.
#include "image/lines/code_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "image/binary.hpp"
#include "image/cubin.hpp"
#include "image/lines/line_index.hpp"
#include "toolkit.hpp"

namespace launchbox {

namespace {

// Too many values for the bounds: spills on lines 5, 7 and 9, all inlined twice, on line 13.
const std::string spilling_source = R"cuda(
__device__ __forceinline__ float poly(const float* p, int n, float x) {
    float v[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) v[i] = p[i * n];
    float s = 0;
    for (int i = 0; i < 64; ++i) s = s * x + v[i] * v[63 - i];
#pragma unroll
    for (int i = 0; i < 64; ++i) s += v[i] / x;
    return s;
}
__device__ __forceinline__ float twice(const float* p, int n, float x) {
    return poly(p, n, x) + poly(p + 1, n, x * 2);
}
extern "C" __global__ void __launch_bounds__(1024, 2) crowded(const float* p, int n, float* out) {
    int i = threadIdx.x;
    out[i] = twice(p + i, n, out[i]);
}
extern "C" __global__ void __launch_bounds__(1024, 2) second(const float* p, int n, float* out) {
    out[0] = poly(p, n, 3);
}
extern "C" __global__ void roomy(float* p) { p[threadIdx.x] += 1; }
)cuda";

line_use sum_of(const kernel_lines& lines)
{
    line_use sum;
    for (const line_use& use : lines.uses) {
        sum.instructions += use.instructions;
        sum.reads += use.reads;
        sum.writes += use.writes;
        sum.spill_store_bytes += use.spill_store_bytes;
        sum.spill_load_bytes += use.spill_load_bytes;
    }
    return sum;
}

// "5 13 17": the line and the calls through which it was inlined.
std::string chain_of(const line_places& places, std::uint32_t place)
{
    std::string text;
    for (std::uint32_t next = place + 1; next != 0; next = places.places[next - 1].inlined_into)
        text += (text.empty() ? "" : " ") + std::to_string(places.places[next - 1].line);
    return text;
}

TEST(code_lines, sum_to_the_images_count_and_name_the_lines_that_use_the_values)
{
    SKIP_WITHOUT_TOOLKIT();
    // Every architecture and every option, but not every combination.
    const std::vector<std::string> all{"sm_75", "sm_80", "sm_90a", "sm_100", "sm_120"};
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> builds{
        {{"-lineinfo"}, {"sm_75", "sm_90a", "sm_120"}},
        {{"-lineinfo", "-rdc=true"}, {"sm_80"}},
        {{"-lineinfo", "-maxrregcount=24"}, {"sm_100"}}};
    if (is_exhaustive())
        for (auto& build : builds) build.second = all;
    for (const auto& [options, architectures] : builds)
        for (const std::string& architecture : architectures) {
            SCOPED_TRACE(architecture + " " + options.back());
            const compiled made = compile_cuda(spilling_source, architecture, options);
            const cubin_contents cubin = read_cubin(made.image, "k.cu", {.lines = wanted_lines::of_spills});
            EXPECT_TRUE(cubin.diagnostics.empty());
            ASSERT_EQ(cubin.kernels.size(), 3u) << made.log;
            for (const kernel_info& kernel : cubin.kernels) {
                SCOPED_TRACE(kernel.name);
                ASSERT_TRUE(kernel.analysis.lines);
                const kernel_lines& lines = *kernel.analysis.lines;
                EXPECT_TRUE(lines.told && lines.all_spills && !lines.all_code);
                EXPECT_EQ(sum_of(lines).spill_store_bytes, kernel.figures.spill_store_bytes);
                EXPECT_EQ(sum_of(lines).spill_load_bytes, kernel.figures.spill_load_bytes);
                if (kernel.name == "roomy") {
                    EXPECT_TRUE(lines.uses.empty());
                    continue;
                }
                ASSERT_GT(kernel.figures.spill_load_bytes.value_or(0), 0);
                const bool is_second = kernel.name == "second";
                const std::string calls = is_second ? " 20" : " 13 17";
                std::int64_t of_values = 0;
                for (const line_use& use : lines.uses) {
                    ASSERT_NE(use.place, no_line);
                    const std::string chain = chain_of(*lines.places, use.place);
                    for (const char* line : {"5", "7", "9"})
                        if (chain == line + calls) of_values += use.spill_bytes();
                    const line_place& place = lines.places->places[use.place];
                    EXPECT_TRUE(lines.places->files[place.file].ends_with("/kernels.cu"));
                    if (chain.find(' ') != std::string::npos && chain != "13 17") {
                        EXPECT_EQ(lines.places->functions[place.function], "_Z4polyPKfif") << chain;
                    }
                }
                EXPECT_GT(of_values, sum_of(lines).spill_bytes() / 2);
            }
        }
}

TEST(code_lines, all_code_is_counted_once)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::vector<std::string> all{"sm_75", "sm_90", "sm_120"};
    for (const char* option : {"-lineinfo", "-G"})
        for (const std::string& architecture : is_exhaustive() ? all
                                               : option == std::string("-G")
                                                   ? std::vector<std::string>{"sm_90"}
                                                   : std::vector<std::string>{"sm_75", "sm_120"}) {
            const std::string image = compile_cuda(spilling_source, architecture, {option}).image;
            const cubin_contents cubin = read_cubin(image, "k.cu", {.lines = wanted_lines::of_all_code});
            ASSERT_EQ(cubin.kernels.size(), 3u);
            for (const kernel_info& kernel : cubin.kernels) {
                ASSERT_TRUE(kernel.analysis.lines && kernel.analysis.lines->all_code);
                EXPECT_EQ(sum_of(*kernel.analysis.lines).instructions * 16, kernel.figures.code_bytes);
                EXPECT_EQ(sum_of(*kernel.analysis.lines).spill_store_bytes, kernel.figures.spill_store_bytes);
            }
        }
}

// Each statement is on its own line; spills do not count as reads.
TEST(code_lines, reads_and_writes_of_memory_by_line)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = R"cuda(
extern "C" __global__ void k(const float* p, float* q, int* sum) {
    __shared__ float tile[64];
    float here = p[threadIdx.x];
    tile[threadIdx.x] = here;
    __syncthreads();
    here = tile[63 - threadIdx.x];
    q[threadIdx.x] = here;
    atomicAdd(sum, 1);
}
)cuda";
    for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
        SCOPED_TRACE(architecture);
        const std::string image = compile_cuda(source, architecture, {"-lineinfo"}).image;
        const cubin_contents cubin = read_cubin(image, "k.cu", {.lines = wanted_lines::of_all_code});
        ASSERT_EQ(cubin.kernels.size(), 1u);
        ASSERT_TRUE(cubin.kernels[0].analysis.lines);
        std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> found;
        for (const line_use& use : cubin.kernels[0].analysis.lines->uses)
            if (use.reads + use.writes > 0) {
                const line_place& place = cubin.kernels[0].analysis.lines->places->places[use.place];
                // The atomic operation is an inlined function of a header.
                const std::uint32_t line =
                    place.inlined_into == 0
                        ? place.line
                        : cubin.kernels[0].analysis.lines->places->places[place.inlined_into - 1].line;
                found[line].first += use.reads;
                found[line].second += use.writes;
            }
        const std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> expected{
            {4, {1, 0}}, {5, {0, 1}}, {7, {1, 0}}, {8, {0, 1}}, {9, {1, 1}}};
        EXPECT_EQ(found, expected);
    }
}

TEST(code_lines, without_line_information_spills_have_no_line)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string image = compile_cuda(spilling_source, "sm_90").image;
    for (const kernel_info& kernel : read_cubin(image, "k.cu", {.lines = wanted_lines::of_all_code}).kernels) {
        ASSERT_TRUE(kernel.analysis.lines);
        EXPECT_FALSE(kernel.analysis.lines->told || kernel.analysis.lines->places);
        EXPECT_EQ(kernel.analysis.lines->uses.size(), kernel.name == "roomy" ? 0u : 1u);
        EXPECT_EQ(sum_of(*kernel.analysis.lines).spill_store_bytes, kernel.figures.spill_store_bytes);
    }
    for (const kernel_info& kernel : read_cubin(image, "k.cu").kernels) EXPECT_FALSE(kernel.analysis.lines);
}

// 12,000 spills, of which the image only lists those beyond 8,192: all accesses to local memory are spills.
TEST(code_lines, count_all_accesses_if_the_list_wrapped)
{
    SKIP_WITHOUT_TOOLKIT();
    // The list wraps at 8,192 entries. Each block has few values, because ptxas' time grows with the square of their
    // number.
    std::string block = "{\n";
    for (int i = 0; i < 350; ++i) block += "float v" + std::to_string(i) + " = p[" + std::to_string(i) + "];\n";
    block += "__syncthreads();\n";
    for (int i = 0; i < 350; ++i) block += "p[" + std::to_string(349 - i) + " * n] = v" + std::to_string(i) + ";\n";
    std::string body;
    for (int i = 0; i < 6; ++i) body += block + "}\n";
    const std::string source =
        "extern \"C\" __global__ void __launch_bounds__(1024) wide(volatile float* p, int n) {\n" + body + "}\n";
    const std::string image = compile_cuda(source, "sm_80", {"-lineinfo", "-maxrregcount=16"}).image;
    const cubin_contents cubin = read_cubin(image, "k.cu", {.lines = wanted_lines::of_spills});
    ASSERT_EQ(cubin.kernels.size(), 1u);
    const kernel_info& kernel = cubin.kernels.front();
    ASSERT_TRUE(kernel.analysis.lines);
    if (kernel.figures.spill_store_bytes) {
        EXPECT_EQ(sum_of(*kernel.analysis.lines).spill_store_bytes, kernel.figures.spill_store_bytes);
        EXPECT_EQ(sum_of(*kernel.analysis.lines).spill_load_bytes, kernel.figures.spill_load_bytes);
        EXPECT_TRUE(kernel.analysis.lines->all_spills);
    } else {
        ASSERT_TRUE(kernel.figures.spills_between);
        EXPECT_EQ(sum_of(*kernel.analysis.lines).spill_store_bytes, kernel.figures.spills_between->min_stores);
        EXPECT_FALSE(kernel.analysis.lines->all_spills);
    }
    EXPECT_GT(sum_of(*kernel.analysis.lines).spill_bytes(), 4 * 8192) << "the list is not cut off";
}

// The rows of one function, which the tests below put into one section.
line_row row_at(std::uint64_t distance, std::uint32_t line, std::uint32_t inlined_into = 0, std::uint32_t function = 0)
{
    line_row row;
    row.distance = distance;
    row.line = line;
    row.inlined_into = inlined_into;
    row.function_name = function;
    return row;
}

TEST(line_index, the_last_row_at_an_address_counts_and_an_end_ends_it)
{
    const line_rows rows{.files = {"a.cu"},
                         .rows = {row_at(0, 3), row_at(16, 4), row_at(16, 9, 2, 1), row_at(64, 0)},
                         .sequences = {{.address_offset = 7}}};
    const line_index index(rows, {{7, {5, 32}}}, std::string_view("\0name\0", 6));
    EXPECT_EQ(index.at(5, 0), no_line);
    EXPECT_EQ(index.at(4, 40), no_line);
    ASSERT_EQ(index.places()->places.size(), 3u);
    EXPECT_EQ(index.places()->places[index.at(5, 32)].line, 3u);
    EXPECT_EQ(chain_of(*index.places(), index.at(5, 48)), "9 4");
    EXPECT_EQ(index.places()->functions[index.places()->places[index.at(5, 95)].function], "name");
    EXPECT_EQ(index.at(5, 96), no_line);
}

TEST(line_index, unsorted_rows_are_sorted)
{
    const line_rows rows{
        .files = {"a.cu"}, .rows = {row_at(64, 8), row_at(0, 3), row_at(32, 5)}, .sequences = {{.address_offset = 7}}};
    const line_index index(rows, {{7, {1, 0}}}, "");
    for (const auto& [byte, line] : {std::pair{0u, 3u}, {16u, 3u}, {32u, 5u}, {64u, 8u}, {1000u, 8u}})
        EXPECT_EQ(index.places()->places[index.at(1, byte)].line, line);
}

TEST(line_index, sequences_have_their_own_addresses_and_a_place_has_one_number)
{
    const line_rows rows{.files = {"a.cu"},
                         .rows = {row_at(0, 3), row_at(16, 4), row_at(0, 4), row_at(0, 5), row_at(32, 3)},
                         .sequences = {{.address_offset = 7}, {.address_offset = 9, .first_row = 2}, {8, 16, 3}}};
    const line_index index(rows, {{7, {1, 0}}, {8, {2, 64}}}, "");
    EXPECT_EQ(index.places()->places.size(), 3u);
    EXPECT_EQ(index.at(1, 16), 1u);
    EXPECT_EQ(index.at(2, 79), no_line);
    EXPECT_EQ(index.at(2, 80), 2u);
    EXPECT_EQ(index.at(2, 112), 0u) << "line 3 again";
}

// Also with more places than initially fit into the table of their numbers.
TEST(line_index, a_cursor_finds_the_same_from_any_position)
{
    line_rows rows{.files = {"a.cu"}, .rows = {}, .sequences = {{.address_offset = 7}}};
    for (std::uint32_t i = 0; i < 20000; ++i) rows.rows.push_back(row_at(32 + 16 * std::uint64_t{i / 3}, 1 + i));
    const line_index index(rows, {{7, {1, 0}}}, "");
    ASSERT_EQ(index.places()->places.size(), 20000u);
    line_cursor moving = index.cursor(1);
    std::mt19937 random(22);
    std::uint64_t byte = 0;
    for (int turn = 0; turn < 20000; ++turn) {
        byte = random() % 4 == 0 ? random() % 110000 : byte + random() % 40;
        ASSERT_EQ(moving.at(byte), byte < 32 ? no_line : std::min((byte - 32) / 16 * 3 + 2, std::uint64_t{19999}));
    }
    EXPECT_EQ(index.cursor(2).at(64), no_line);
}

}  // namespace

}  // namespace launchbox
