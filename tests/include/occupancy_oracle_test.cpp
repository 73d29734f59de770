// The model against NVIDIA's own calculator: cuda_occupancy.h of the installed toolkit.
#include "oracle.hpp"

#include <gtest/gtest.h>
#include <launchbox/block_size.hpp>

#include <iostream>
#include <set>

#include "random_question.hpp"

namespace launchbox {
namespace {

std::vector<const sm_limits*> rows_of_the_header()
{
    std::vector<const sm_limits*> rows;
    for (const sm_limits& row : sm_limits_table)
        if (oracle::knows(row)) rows.push_back(&row);
    return rows;
}

TEST(occupancy_oracle, all_registers_and_threads_of_every_compute_capability)
{
    std::int64_t compared = 0;
    for (const sm_limits* limits : rows_of_the_header()) {
        const int most = limits->registers_per_thread == 63 ? 63 : 257;
        for (int registers = 0; registers <= most; ++registers)
            for (int threads = 1; threads <= 1100; ++threads) {
                const kernel_resources kernel{.registers = registers, .max_threads = 2048};
                const char* difference = oracle::difference(*limits, kernel, {.threads = threads}, {});
                ASSERT_STREQ(difference, nullptr)
                    << architecture_name(limits->capability).view() << ' ' << registers << ' ' << threads;
                ++compared;
            }
    }
    std::cout << compared << " configurations, 0 differences\n";
}

// Every allocation unit of shared memory and its neighbours, with every carveout that can make a difference.
TEST(occupancy_oracle, all_shared_sizes_and_preferences_of_every_compute_capability)
{
    std::int64_t compared = 0;
    for (const sm_limits* limits : rows_of_the_header())
        for (int bytes = 0; bytes <= limits->shared_per_sm + 512; bytes += limits->shared_unit)
            for (int nearby : {bytes - 1, bytes, bytes + 1})
                for (int carveout : {-1, 0, 1, 3, 4, 7, 14, 25, 28, 29, 50, 58, 71, 86, 99, 100})
                    for (int cache = 0; cache < (carveout < 0 ? 4 : 1); ++cache)
                        for (const std::optional<std::int64_t> limit :
                             {std::optional<std::int64_t>(), std::optional<std::int64_t>(nearby)}) {
                            if (nearby < 0) continue;
                            const launch_settings settings{.max_dynamic_shared_bytes = limit,
                                                           .carveout_percent = carveout,
                                                           .cache = static_cast<cache_preference>(cache)};
                            const char* difference = oracle::difference(
                                *limits, {.registers = 24}, {.threads = 64, .dynamic_shared_bytes = nearby}, settings);
                            ASSERT_STREQ(difference, nullptr) << architecture_name(limits->capability).view() << ' '
                                                              << nearby << " B, carveout " << carveout;
                            ++compared;
                        }
    std::cout << compared << " configurations, 0 differences\n";
}

TEST(occupancy_oracle, five_million_random_questions)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    std::set<std::string> results;
    std::int64_t resident = 0, compared = 0;
    while (compared < 5'000'000) {
        question q = source.next();
        if (!oracle::knows(*q.limits)) continue;
        if (!oracle::agrees_in_barriers(*q.limits)) q.kernel.barriers = 0;
        if (oracle::toolkit < 13000) q.settings.virtual_resources = 0;  // the header does not know them
        const char* difference = oracle::difference(*q.limits, q.kernel, q.shape, q.settings);
        ASSERT_STREQ(difference, nullptr) << describe(q);
        ++compared;
        resident += resident_blocks(*q.limits, q.kernel, q.shape, q.settings) > 0;
    }
    // Questions that are mostly impossible to launch would prove little.
    EXPECT_GT(resident, 1'000'000);
    std::cout << compared << " configurations (" << resident << " resident), 0 differences\n";
}

// The published example with 128 threads: the only public figures for 2.x, which the installed header no longer knows.
TEST(occupancy_oracle, published_figures_of_2_0_and_3_5)
{
    const auto blocks = [](const sm_limits& limits, int registers, int shared) {
        return occupancy(limits, {.registers = registers, .static_shared_bytes = shared}, {.threads = 128});
    };
    const occupancy_result sm_20_63 = blocks(sm_20, 63, 11264);
    EXPECT_EQ(sm_20_63.resident_blocks, 4);
    EXPECT_EQ(sm_20_63.registers.blocks, 4);
    EXPECT_EQ(sm_20_63.shared.blocks, 4);
    const occupancy_result sm_35_80 = blocks(sm_35, 80, 11264);
    EXPECT_EQ(sm_35_80.resident_blocks, 4);
    EXPECT_EQ(sm_35_80.shared.blocks, 4);
    EXPECT_GT(sm_35_80.registers.blocks, 4);
    const occupancy_result sm_20_48 = blocks(sm_20, 48, 6144);
    EXPECT_EQ(sm_20_48.resident_blocks, 5);
    EXPECT_EQ(sm_20_48.registers.per_block * 5, 30720);
    const occupancy_result sm_35_48 = blocks(sm_35, 48, 6144);
    EXPECT_EQ(sm_35_48.resident_blocks, 8);
    EXPECT_EQ(sm_35_48.shared.allocated * 8, 49152);
    EXPECT_EQ(blocks(sm_20, 36, 6144).resident_blocks, 7);
    // 512 of 1536 threads, which one publication calls 25 %.
    EXPECT_DOUBLE_EQ(sm_20_63.occupancy(), 512.0 / 1536);
}

// 2.x: the register counts whose unit is doubled. The spreadsheet and CUDA 7.0's header differ there in 32 of 2016
// points, the first at 96 threads and 45 registers.
TEST(occupancy_oracle, fermi_doubles_the_unit_of_some_register_counts)
{
    int differing = 0;
    bool first = true;
    for (int threads = 32; threads <= 1024; threads += 32)
        for (int registers = 1; registers <= 63; ++registers) {
            const kernel_resources kernel{.registers = registers};
            const int driver = resident_blocks(sm_20, kernel, {.threads = threads});
            const int sheet = resident_blocks(sm_20, kernel, {.threads = threads}, {.mode = model_mode::spreadsheet});
            if (driver == sheet) continue;
            ++differing;
            if (first) {
                EXPECT_EQ(threads, 96);
                EXPECT_EQ(registers, 45);
                EXPECT_EQ(sheet, 7);
                EXPECT_EQ(driver, 6);
                first = false;
            }
        }
    EXPECT_EQ(differing, 32);
}

std::size_t no_bytes(int)
{
    return 0;
}
std::size_t four_a_thread(int threads)
{
    return static_cast<std::size_t>(threads) * 4;
}
std::size_t squared(int threads)
{
    return static_cast<std::size_t>(threads) * static_cast<std::size_t>(threads) / 8;
}

TEST(block_size_oracle, equals_the_header_for_every_compute_capability)
{
    std::int64_t compared = 0;
    for (const sm_limits* limits : rows_of_the_header()) {
        const cudaOccDeviceProp device = oracle::device_of(*limits);
        for (int registers = 1; registers <= limits->registers_per_thread; ++registers)
            for (int bound : {1, 31, 32, 33, 64, 96, 128, 200, 256, 500, 512, 768, 1000, 1023, 1024})
                for (auto bytes : {no_bytes, four_a_thread, squared}) {
                    const kernel_resources kernel{.registers = registers, .max_threads = bound};
                    const launch_settings settings{.max_dynamic_shared_bytes = limits->shared_per_block_opt_in};
                    const cudaOccFuncAttributes function = oracle::function_of(kernel, settings);
                    const cudaOccDeviceState state = oracle::state_of(settings);
                    int grid = 0, threads = 0;
                    ASSERT_EQ(
                        cudaOccMaxPotentialOccupancyBlockSize(&grid, &threads, &device, &function, &state, bytes, 0),
                        CUDA_OCC_SUCCESS);
                    const block_size_choice ours = suggest_block_size(*limits, kernel, bytes, {}, settings);
                    ASSERT_EQ(ours.threads, threads)
                        << architecture_name(limits->capability).view() << ' ' << registers << ' ' << bound;
                    ASSERT_EQ(ours.resident_blocks, grid);  // one SM
                    ++compared;
                }
    }
    std::cout << compared << " kernels, 0 differences\n";
}

}  // namespace
}  // namespace launchbox
