// Defects in NVIDIA's own code: each difference is described and tested here, and is the only one of its kind.
#include <gtest/gtest.h>

#include "oracle.hpp"

namespace launchbox {
namespace {

// 1. Before 13.1 the header, and so the runtime, forgets the reserved memory of each block when two or more blocks are
// asked for. The runtime's figures were measured on an H200 with 13.0; our size allows as many blocks as asked for.
TEST(occupancy_defects, available_dynamic_shared_contradicts_itself)
{
    const int asked[] = {2, 3, 4, 8, 16};
    const std::size_t returned[] = {116736, 77824, 58368, 29184, 14592};
    const int fed_back[] = {1, 2, 3, 7, 14};
    const std::int64_t correct[] = {115712, 76800, 57344, 28160, 13568};
    const kernel_resources kernel{.registers = 10, .barriers = 1};
    const launch_settings settings{.max_dynamic_shared_bytes = sm_90.shared_per_block_opt_in};
    const cudaOccDeviceProp device = oracle::device_of(sm_90);
    const cudaOccFuncAttributes function = oracle::function_of(kernel, settings);
    const cudaOccDeviceState state = oracle::state_of(settings);
    for (int i = 0; i < 5; ++i) {
        std::size_t bytes = 0;
        ASSERT_EQ(cudaOccAvailableDynamicSMemPerBlock(&bytes, &device, &function, &state, asked[i], 128),
                  CUDA_OCC_SUCCESS);
        if constexpr (oracle::toolkit >= 13010) {
            EXPECT_EQ(static_cast<std::int64_t>(bytes), correct[i]);
            continue;
        }
        EXPECT_EQ(bytes, returned[i]);
        const auto resident = [&](std::int64_t dynamic) {
            return resident_blocks(sm_90, kernel, {.threads = 128, .dynamic_shared_bytes = dynamic}, settings);
        };
        EXPECT_EQ(resident(static_cast<std::int64_t>(bytes)), fed_back[i]);
        const std::optional<std::int64_t> ours = available_dynamic_shared(sm_90, kernel, 128, asked[i], settings);
        ASSERT_TRUE(ours);
        EXPECT_EQ(*ours, correct[i]);
        EXPECT_GE(resident(*ours), asked[i]);
        EXPECT_LT(resident(*ours + 1), asked[i]);
    }
}

// Our size never contradicts the model, and equals the header's where the header is right: below 8.0 (no reserved
// memory), and for n = 1.
TEST(occupancy_defects, ours_allows_as_many_blocks_as_asked_for)
{
    std::int64_t asked = 0;
    for (const sm_limits& limits : sm_limits_table)
        for (std::int64_t fixed : {0, 1, 1000, 20000, 49152})
            for (int threads : {32, 96, 128, 256, 1024})
                for (int carveout : {-1, 0, 10, 50, 100})
                    for (bool opted_in : {false, true})
                        for (int blocks = 1; blocks <= limits.blocks_per_sm; ++blocks) {
                            const kernel_resources kernel{.registers = 16, .static_shared_bytes = fixed};
                            launch_settings settings{.carveout_percent = carveout};
                            if (opted_in) settings.max_dynamic_shared_bytes = limits.shared_per_block_opt_in - fixed;
                            const auto ours = available_dynamic_shared(limits, kernel, threads, blocks, settings);
                            const auto resident = [&](std::int64_t dynamic) {
                                return resident_blocks(limits, kernel,
                                                       {.threads = threads, .dynamic_shared_bytes = dynamic}, settings);
                            };
                            if (!ours) {
                                EXPECT_LT(resident(0), blocks);
                                continue;
                            }
                            ++asked;
                            ASSERT_GE(resident(*ours), blocks)
                                << architecture_name(limits.capability).view() << ' ' << fixed << ' ' << threads << ' '
                                << carveout << ' ' << blocks << ' ' << *ours;
                            ASSERT_LT(resident(*ours + 1), blocks)
                                << architecture_name(limits.capability).view() << ' ' << fixed << ' ' << threads << ' '
                                << carveout << ' ' << blocks << ' ' << *ours;
                            if (!oracle::knows(limits) || (limits.reserved_shared_per_block > 0 && blocks > 1) ||
                                !opted_in)
                                continue;
                            const cudaOccDeviceProp device = oracle::device_of(limits);
                            const cudaOccFuncAttributes function = oracle::function_of(kernel, settings);
                            const cudaOccDeviceState state = oracle::state_of(settings);
                            std::size_t bytes = 0;
                            ASSERT_EQ(cudaOccAvailableDynamicSMemPerBlock(&bytes, &device, &function, &state, blocks,
                                                                          threads),
                                      CUDA_OCC_SUCCESS);
                            ASSERT_EQ(static_cast<std::int64_t>(bytes), *ours)
                                << architecture_name(limits.capability).view() << ' ' << fixed << ' ' << threads << ' '
                                << carveout << ' ' << blocks;
                        }
    EXPECT_GT(asked, 10000);
}

// 2. A block larger than the launch bound gets resident blocks, but its launch fails (measured on an H200: with 512
// threads and a bound of 256 the runtime counts 4 blocks, and the launch returns cudaErrorInvalidValue).
TEST(occupancy_defects, a_block_over_the_launch_bound_is_not_launchable)
{
    const kernel_resources kernel{.registers = 32, .max_threads = 256};
    EXPECT_EQ(oracle::ask(sm_90, kernel, {.threads = 512}, {}).result.activeBlocksPerMultiprocessor, 4);
    const occupancy_result ours = occupancy(sm_90, kernel, {.threads = 512});
    EXPECT_EQ(ours.resident_blocks, 0);
    EXPECT_EQ(ours.obstacle, launch_obstacle::over_launch_bound);
    EXPECT_TRUE(ours.limiters.empty());
    EXPECT_EQ(resident_blocks(sm_90, kernel, {.threads = 512}), 0);
}

// 3. The header's mask of limiting factors keeps the limiters found before barriers were counted.
TEST(occupancy_defects, the_limiter_set_is_never_stale)
{
    const kernel_resources kernel{.registers = 32, .barriers = 16};
    const oracle::answer theirs = oracle::ask(sm_90, kernel, {.threads = 128}, {});
    EXPECT_EQ(theirs.result.limitingFactors,
              static_cast<unsigned>(OCC_LIMIT_WARPS | OCC_LIMIT_REGISTERS | OCC_LIMIT_BARRIERS));
    EXPECT_EQ(theirs.result.activeBlocksPerMultiprocessor, 4);
    EXPECT_EQ(theirs.result.blockLimitWarps, 16);
    resource_set barriers_alone;
    barriers_alone.insert(resource::barriers);
    EXPECT_EQ(occupancy(sm_90, kernel, {.threads = 128}).limiters, barriers_alone);
}

// 4. The header adds sizes in 32 bits: 4 GiB + 1 KB of dynamic shared memory "fit" 16 times.
TEST(occupancy_defects, sizes_do_not_overflow)
{
    const std::int64_t huge = (std::int64_t{4} << 30) + 1024;
    const kernel_resources kernel{.registers = 32};
    EXPECT_EQ(oracle::ask(sm_90, kernel, {.threads = 128, .dynamic_shared_bytes = huge}, {})
                  .result.activeBlocksPerMultiprocessor,
              16);
    EXPECT_EQ(resident_blocks(sm_90, kernel, {.threads = 128, .dynamic_shared_bytes = huge}), 0);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr int count = std::numeric_limits<int>::max();
    for (const sm_limits& limits : sm_limits_table) {
        const occupancy_result everything =
            occupancy(limits, {.registers = count, .static_shared_bytes = most, .barriers = count},
                      {.threads = count, .dynamic_shared_bytes = most},
                      {.max_dynamic_shared_bytes = most, .virtual_resources = count});
        EXPECT_EQ(everything.resident_blocks, 0);
        EXPECT_NE(everything.obstacle, launch_obstacle::none);
    }
}

// 5. On 3.0 instructions have 6 bits for a register number; the header accepts 255 for all of 3.x.
TEST(occupancy_defects, kernels_for_3_0_have_at_most_63_registers)
{
    EXPECT_EQ(oracle::ask(sm_30, {.registers = 64}, {.threads = 128}, {}).result.activeBlocksPerMultiprocessor, 8);
    EXPECT_EQ(resident_blocks(sm_30, {.registers = 64}, {.threads = 128}), 0);
    EXPECT_EQ(resident_blocks(sm_30, {.registers = 63}, {.threads = 128}), 8);
}

// 6. A block has at most 16 named barriers (PTX ISA, bar); the header accepts any number.
TEST(occupancy_defects, no_block_has_more_than_16_barriers)
{
    EXPECT_EQ(oracle::ask(sm_90, {.barriers = 17}, {.threads = 32}, {}).result.activeBlocksPerMultiprocessor, 3);
    EXPECT_EQ(occupancy(sm_90, {.barriers = 17}, {.threads = 32}).obstacle, launch_obstacle::barriers_per_block);
    EXPECT_EQ(resident_blocks(sm_90, {.barriers = 17}, {.threads = 32}), 0);
}

// 7. The header answers for chips that do not exist (7.9 like 7.0, 8.5 like 8.6); launchbox has no row for them.
TEST(occupancy_defects, unknown_chips_have_no_answer)
{
    sm_limits invented = sm_70;
    invented.capability = {7, 9};
    EXPECT_EQ(oracle::ask(invented, {.registers = 32}, {.threads = 128}, {}).error, CUDA_OCC_SUCCESS);
    EXPECT_EQ(find_sm_limits({7, 9}), nullptr);
}

// 8. From 13.3 on the header gives an SM of 10.3 half of the barriers that it had before, and that 10.0 has. No other
// source says so.
TEST(occupancy_defects, barriers_of_10_3_depend_on_the_toolkit)
{
    if (!oracle::knows(sm_103)) GTEST_SKIP() << "the header does not know 10.3";
    const int blocks = oracle::ask(sm_103, {.barriers = 16}, {.threads = 32}, {}).result.activeBlocksPerMultiprocessor;
    EXPECT_EQ(blocks, oracle::toolkit >= 13030 ? 2 : 4);
    EXPECT_EQ(resident_blocks(sm_103, {.barriers = 16}, {.threads = 32}), 4);
}

// Not a defect, but a common surprise: blocks fit into the registers of the SM but cannot be launched, because the
// launch check rounds warps up to the sub-partitions. Measured on an H200: with 224 registers, launches with 256
// threads succeed and those with 288, 320 and 384 fail.
TEST(occupancy_defects, blocks_that_fit_by_arithmetic_and_cannot_be_launched)
{
    for (int threads : {288, 320, 384}) {
        const occupancy_result ours = occupancy(sm_90, {.registers = 224}, {.threads = threads});
        EXPECT_EQ(ours.resident_blocks, 0);
        EXPECT_EQ(ours.obstacle,
                  threads == 288 ? launch_obstacle::register_rounding : launch_obstacle::registers_per_block);
    }
    EXPECT_EQ(resident_blocks(sm_90, {.registers = 224}, {.threads = 256}), 1);

    int rounding = 0, all = 0;
    for (int threads = 1; threads <= 1024; ++threads)
        for (int registers = 1; registers <= 255; ++registers, ++all)
            rounding += occupancy(sm_90, {.registers = registers}, {.threads = threads}).obstacle ==
                        launch_obstacle::register_rounding;
    EXPECT_EQ(rounding, 7680);
    EXPECT_EQ(all, 261120);
}

// The two partitions of GP100 could hold 144 of 8160 blocks that the rest of its family cannot; the driver refuses
// them.
TEST(occupancy_defects, gp100_runs_what_all_of_pascal_can_run)
{
    sm_limits alone = sm_60;
    alone.capability = {6, 9};  // same limits, but not of the family
    int refused = 0;
    for (int threads = 32; threads <= 1024; threads += 32)
        for (int registers = 1; registers <= 255; ++registers)
            refused += resident_blocks(sm_60, {.registers = registers}, {.threads = threads}) !=
                       resident_blocks(alone, {.registers = registers}, {.threads = threads});
    EXPECT_EQ(refused, 144);
}

}  // namespace
}  // namespace launchbox
