#include "tune/backend/screen.hpp"

#include <gtest/gtest.h>

using namespace launchbox;

namespace {

const sm_limits& hopper = *find_sm_limits({9, 0});

std::string before_build(const evaluated_launch& launch, const sm_limits& limits = hopper)
{
    return why_not_before_build(launch, limits);
}

kernel_info compiled(int registers, std::int64_t shared = 0)
{
    kernel_info kernel;
    kernel.figures.registers = registers;
    kernel.figures.static_shared_bytes = shared;
    return kernel;
}

TEST(screen, rejects_unlaunchable_candidates_before_compiling)
{
    EXPECT_EQ(before_build({.threads = {1024, 1, 1}, .blocks = {1 << 20, 1, 1}}), "");
    EXPECT_EQ(before_build({.threads = {64, 32, 1}}), "64 x 32 = 2,048 threads, but a block has at most 1,024");
    EXPECT_EQ(before_build({.threads = {0, 1, 1}}), "a block of 0 threads");
    EXPECT_NE(before_build({.threads = {1, 1, 65}}), "");
    EXPECT_NE(before_build({.blocks = {0, 1, 1}}), "");
    EXPECT_NE(before_build({.blocks = {std::int64_t{1} << 31, 1, 1}}), "");
    EXPECT_EQ(before_build({.blocks = {(std::int64_t{1} << 31) - 1, 65535, 65535}}), "");
    EXPECT_NE(before_build({.blocks = {1, 65536, 1}}), "");
}

TEST(screen, calculates_shared_memory_before_compiling)
{
    EXPECT_EQ(before_build({.threads = {32, 1, 1}, .dynamic_shared_bytes = 232448}), "");
    EXPECT_EQ(before_build({.threads = {32, 1, 1}, .dynamic_shared_bytes = 232449}),
              "232,449 B of dynamic shared memory, but a block has at most 232,448 B on sm_90: 1 B too many");
    EXPECT_NE(before_build({.threads = {32, 1, 1}, .dynamic_shared_bytes = -1}), "");

    const auto with = [&](std::int64_t keys, std::int64_t dynamic) {
        return before_build({.dynamic_shared_bytes = dynamic, .static_shared_bytes = 4 * keys});
    };
    EXPECT_EQ(with(12288, 0), "");
    EXPECT_EQ(with(12289, 0), "49,156 B of static shared memory, but a block has at most 49,152 B");
    EXPECT_EQ(with(12288, 232448 - 49152), "");
    EXPECT_NE(with(12288, 232448 - 49152 + 1), "");
}

TEST(screen, checks_clusters_before_compiling)
{
    const evaluated_launch pairs{.blocks = {8, 1, 1}, .cluster = {2, 1, 1}};
    EXPECT_EQ(before_build(pairs), "");
    EXPECT_NE(before_build(pairs, *find_sm_limits({8, 0})), "");
    EXPECT_NE(before_build({.blocks = {9, 1, 1}, .cluster = {2, 1, 1}}), "");
    EXPECT_NE(before_build({.blocks = {8, 1, 1}, .cluster = {0, 1, 1}}), "");
    ASSERT_EQ(hopper.non_portable_cluster, 16);
    EXPECT_EQ(before_build({.blocks = {16, 1, 1}, .cluster = {16, 1, 1}}), "");
    EXPECT_EQ(before_build({.blocks = {32, 1, 1}, .cluster = {32, 1, 1}}),
              "a cluster of 32 blocks, but a cluster has at most 16 on sm_90");
}

TEST(screen, asks_the_model_about_compiled_candidates)
{
    const screen_settings no_floor;
    const auto why = [&](const kernel_info& kernel, int threads, std::int64_t dynamic = 0) {
        return why_not_launched(kernel, {.threads = {threads, 1, 1}, .dynamic_shared_bytes = dynamic}, hopper,
                                no_floor);
    };
    EXPECT_EQ(why(compiled(64), 1024), "");
    EXPECT_EQ(why(compiled(65), 1024),
              "1,024 threads with 65 registers each take 73,728 registers, but a block has at most 65,536 on sm_90");
    EXPECT_EQ(why(compiled(255), 256), "");
    EXPECT_NE(why(compiled(255), 288), "");
    EXPECT_EQ(why(compiled(32, 1024), 32, 232448 - 1024), "");
    EXPECT_NE(why(compiled(32, 1024), 32, 232448 - 1023), "");

    kernel_info bounded = compiled(32);
    bounded.bounds.max_threads = {256, 1, 1};
    EXPECT_EQ(why(bounded, 256), "");
    EXPECT_EQ(why(bounded, 257), "257 threads, but it was compiled for sm_90 with __launch_bounds__(256)");
    bounded.figures.registers = 255;
    EXPECT_EQ(why(bounded, 288), "288 threads, but it was compiled for sm_90 with __launch_bounds__(256)");
    kernel_info exact = compiled(32);
    exact.bounds.required_threads = {16, 8, 1};
    EXPECT_EQ(why_not_launched(exact, {.threads = {16, 8, 1}}, hopper, no_floor), "");
    EXPECT_EQ(why(exact, 128), "128 threads, but it was compiled for blocks of exactly 16 x 8 = 128 threads");
    kernel_info pair = compiled(32);
    pair.bounds.cluster = {2, 1, 1};
    EXPECT_NE(why_not_launched(pair, {.blocks = {3, 1, 1}}, hopper, no_floor), "");
    EXPECT_EQ(why_not_launched(pair, {.blocks = {4, 1, 1}}, hopper, no_floor), "");
}

TEST(screen, has_a_minimum_for_occupancy)
{
    const evaluated_launch launch{.threads = {512, 1, 1}};
    EXPECT_EQ(why_not_launched(compiled(64), launch, hopper, {.min_occupancy = 0.5}), "");
    EXPECT_EQ(why_not_launched(compiled(65), launch, hopper, {.min_occupancy = 0.5}),
              "occupancy 25 %, and min_occupancy is 50 %: 16 of 64 warps are resident on an SM");
    EXPECT_EQ(why_not_launched(compiled(65), launch, hopper, {.min_occupancy = 0.25}), "");
    EXPECT_EQ(why_not_launched(compiled(32), {.threads = {512, 1, 1}, .dynamic_shared_bytes = 60000}, hopper,
                               {.min_occupancy = 0.8}),
              "occupancy 75 %, and min_occupancy is 80 %: 48 of 64 warps are resident on an SM");
}

TEST(screen, gives_a_higher_promise_to_candidates_that_can_fill_half_an_sm)
{
    const auto promise = [&](int threads, std::int64_t shared) {
        return prior_before_build({.threads = {threads, 1, 1}, .blocks = {8, 1, 1}, .static_shared_bytes = shared},
                                  hopper);
    };
    EXPECT_EQ(promise(1024, 0), 1);
    EXPECT_EQ(promise(64, 0), 1) << "32 blocks of 2 warps are all that an SM holds";
    EXPECT_EQ(promise(32, 0), 1) << "32 blocks of a warp are half of it";
    EXPECT_EQ(promise(100, 0), 0.5) << "part of a warp is idle";
    EXPECT_EQ(promise(64, 40000), 0.5) << "5 blocks of 2 warps";
    EXPECT_EQ(promise(1024, 40000), 1);
    EXPECT_EQ(promise(1024, 60000), 0) << "more static shared memory than there is";
    EXPECT_EQ(promise(2048, 0), 0);
}

}  // namespace
