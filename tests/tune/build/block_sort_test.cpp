// The example's space: NVRTC and nvcc generate the same code. LAUNCHBOX_EXHAUSTIVE=1: for every candidate.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel_specs.hpp"
#include "launchbox/sm_limits.hpp"
#include "scale.hpp"
#include "support/process/parallel.hpp"
#include "tune/backend/screen.hpp"
#include "tune/build/kernel_builder.hpp"

using namespace launchbox;
using namespace launchbox::testing_specs;

namespace {

// As in block_sort.toml; the reader of specs has its own tests.
tune_spec block_sort()
{
    tune_spec spec = spec_of(LAUNCHBOX_SOURCE_DIR "/examples/block_sort", "block_sort.cu",
                             "block_sort<{type}, {threads}, {items}, {min_blocks}>");
    spec.kernel->threads[0] = "threads";
    spec.kernel->blocks[0] = "ceil_div(n, row)";
    spec.kernel->dynamic_shared = "(threads * items + threads * items // 32 + 1) * bytes + 16";
    return spec;
}

std::vector<assignment> space()
{
    std::vector<assignment> candidates;
    for (const std::string type : {"int", "long long"})
        for (const int threads : {64, 128, 256, 512, 1024})
            for (int items = 3; items <= 31; items += 2)
                for (const int min_blocks : {0, 1, 2, 3, 4, 6, 8})
                    if (threads * items <= 16384 && min_blocks * threads <= 2048 && threads * items >= 1024)
                        candidates.push_back(values_of({{"threads", integer(threads)},
                                                        {"items", integer(items)},
                                                        {"min_blocks", integer(min_blocks)},
                                                        {"type", type},
                                                        {"bytes", integer(type == "int" ? 4 : 8)},
                                                        {"row", integer(1024)},
                                                        {"n", integer(1 << 20)}}));
    return candidates;
}

// For some instances of CUB's merge sort, NVRTC 13.0 generates other PTX than nvcc 13.0 (more 64-bit addresses), even
// from the very unit that nvcc gets; kernels without CUB have equal figures (kernel_builder_test).
constexpr int registers_apart = 8, spills_apart = 64;

template <class Number>
testing::AssertionResult near(const std::optional<Number>& one, const std::optional<Number>& other, int apart)
{
    if (one && other && std::abs(*one - *other) <= apart) return testing::AssertionSuccess();
    return testing::AssertionFailure() << one.value_or(-1) << " with NVRTC and " << other.value_or(-1) << " with nvcc";
}

TEST(block_sort, resources_and_screening_equal_those_with_nvcc)
{
    if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;

    const std::vector<assignment> all = space();
    ASSERT_EQ(all.size(), 668u);
    const std::size_t stride = is_exhaustive() ? 1 : 334;
    const tune_spec spec = block_sort();
    kernel_builder by_nvrtc(spec, {.compiler = "nvrtc"}), by_nvcc(spec, {.compiler = "nvcc"});
    const sm_limits& limits = sm_90;
    const launch_expressions expressions(spec, limits_for_expressions(limits, nullptr));
    run_parallel((all.size() + stride - 1) / stride, [&](std::size_t i) {
        const assignment& values = all[i * stride];
        const evaluated_launch launch = expressions.launch(values);
        EXPECT_EQ(why_not_before_build(launch, limits), "") << parameter_text(values);
        const build_result one = by_nvrtc.build(values, sm_90.capability),
                           other = by_nvcc.build(values, sm_90.capability);
        ASSERT_EQ(one.build.status, build_status::built) << one.build.reason;
        ASSERT_EQ(other.build.status, build_status::built) << other.build.reason;
        const kernel_info &a = *one.build.kernel, &b = *other.build.kernel;
        EXPECT_EQ(a.name, b.name);
        EXPECT_TRUE(near(a.figures.registers, b.figures.registers, registers_apart)) << parameter_text(values);
        EXPECT_TRUE(near(a.figures.spill_store_bytes, b.figures.spill_store_bytes, spills_apart))
            << parameter_text(values);
        EXPECT_TRUE(near(a.figures.spill_load_bytes, b.figures.spill_load_bytes, spills_apart))
            << parameter_text(values);
        EXPECT_TRUE(near(a.figures.stack_frame_bytes, b.figures.stack_frame_bytes, spills_apart))
            << parameter_text(values);
        EXPECT_EQ(a.figures.static_shared_bytes, b.figures.static_shared_bytes) << parameter_text(values);
        EXPECT_EQ(a.bounds.max_threads, b.bounds.max_threads) << parameter_text(values);
        EXPECT_EQ(a.bounds.min_blocks, b.bounds.min_blocks) << parameter_text(values);
        EXPECT_EQ(a.figures.barriers, b.figures.barriers) << parameter_text(values);
        EXPECT_EQ(a.figures.parameter_bytes, b.figures.parameter_bytes) << parameter_text(values);
        EXPECT_TRUE(a.figures.registers && a.figures.spill_store_bytes && a.bounds.max_threads &&
                    a.figures.static_shared_bytes)
            << parameter_text(values);
        for (const double floor : {0.0, 0.3, 0.6})
            EXPECT_EQ(why_not_launched(a, launch, limits, {.min_occupancy = floor}),
                      why_not_launched(b, launch, limits, {.min_occupancy = floor}))
                << parameter_text(values);
    });
}

}  // namespace
