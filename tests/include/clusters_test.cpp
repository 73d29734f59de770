// The cluster estimate against cudaOccupancyMaxActiveClusters, as measured on an H200 (measurements/nvidia-h200).
#include <launchbox/block_size.hpp>
#include <launchbox/clusters.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace launchbox {
namespace {

struct measured_row {
    int blocks_per_sm;
    int clusters[8];
};
constexpr int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
constexpr measured_row rows[] = {
    {16, {1056, 528, 327, 248, 163, 124, 74, 58}},
    {4, {528, 264, 163, 124, 79, 62, 37, 28}},
    {2, {264, 132, 79, 62, 39, 30, 16, 14}},
    {1, {132, 66, 39, 30, 17, 15, 7, 7}},
};

TEST(clusters, all_32_counts_of_the_h200_with_its_gpcs)
{
    for (const measured_row& row : rows)
        for (int i = 0; i < 8; ++i) {
            const cluster_estimate estimate = estimate_clusters(h200_gpcs, sizes[i], row.blocks_per_sm);
            EXPECT_EQ(estimate.expected, row.clusters[i]) << row.blocks_per_sm << " x " << sizes[i];
            EXPECT_LE(estimate.low, row.clusters[i]);
            EXPECT_GE(estimate.high, row.clusters[i]);
        }
}

TEST(clusters, the_interval_from_the_number_of_sms_contains_every_count_of_the_h200)
{
    for (const measured_row& row : rows)
        for (int i = 0; i < 8; ++i) {
            const cluster_estimate estimate = estimate_clusters(sm_90, 132, sizes[i], row.blocks_per_sm);
            EXPECT_LE(estimate.low, row.clusters[i]) << row.blocks_per_sm << " x " << sizes[i];
            EXPECT_GE(estimate.high, row.clusters[i]);
            ASSERT_TRUE(estimate.expected);
            EXPECT_LE(estimate.low, *estimate.expected);
            EXPECT_GE(estimate.high, *estimate.expected);
        }
}

// A size above the chip's maximum gives no clusters; an unpublished maximum gives an interval.
TEST(clusters, the_maximum_of_each_chip)
{
    for (const sm_limits& limits : sm_limits_table)
        for (int blocks = 2; blocks <= 20; ++blocks) {
            const cluster_estimate estimate = estimate_clusters(limits, 40, blocks, 2);
            const bool there_can_be =
                limits.portable_cluster.value_or(0) > 0 && blocks <= limits.non_portable_cluster.value_or(99);
            EXPECT_EQ(estimate.high > 0, there_can_be) << limits.capability.number() << ' ' << blocks;
            if (!there_can_be) {
                EXPECT_EQ(estimate.expected, 0);
            }
        }
    EXPECT_EQ(estimate_clusters(sm_110, 20, 16, 4), cluster_estimate{.expected = 0});
    EXPECT_GT(estimate_clusters(sm_90, 132, 16, 4).expected, 0);
}

TEST(clusters, unlaunchable_clusters_are_not_resident)
{
    const kernel_resources kernel{.registers = 32};
    const auto obstacle = [&](const sm_limits& limits, int blocks, bool allowed) {
        const launch_shape shape{.threads = 256, .cluster_blocks = blocks};
        const launch_settings settings{.non_portable_clusters = allowed};
        const occupancy_result result = occupancy(limits, kernel, shape, settings);
        EXPECT_EQ(result.resident_blocks, resident_blocks(limits, kernel, shape, settings));
        EXPECT_EQ(result.resident_blocks == 0, result.obstacle != launch_obstacle::none);
        return result.obstacle;
    };
    for (const sm_limits& limits : {sm_90, sm_100, sm_101, sm_103, sm_110, sm_120, sm_121}) {
        EXPECT_EQ(obstacle(limits, 8, false), launch_obstacle::none);
        EXPECT_EQ(obstacle(limits, 1, false), launch_obstacle::none);
        EXPECT_EQ(obstacle(limits, -5, false), launch_obstacle::none);
    }
    for (const sm_limits& limits : {sm_90, sm_100, sm_103, sm_120}) {
        EXPECT_EQ(obstacle(limits, 16, false), launch_obstacle::non_portable_cluster);
        EXPECT_EQ(obstacle(limits, 16, true), launch_obstacle::none);
    }
    for (const bool allowed : {false, true}) {
        EXPECT_EQ(obstacle(sm_110, 9, allowed), launch_obstacle::cluster_blocks);
        EXPECT_EQ(obstacle(sm_90, 17, allowed), launch_obstacle::cluster_blocks);
        EXPECT_EQ(obstacle(sm_80, 2, allowed), launch_obstacle::cluster_blocks);
    }
    // Suggested block sizes, too.
    EXPECT_EQ(suggest_block_size(sm_110, kernel, 0, {.cluster_blocks = 16}).threads, 0);
    EXPECT_EQ(suggest_block_size(sm_90, kernel, 0, {.cluster_blocks = 16}).threads, 0);
    EXPECT_EQ(suggest_block_size(sm_90, kernel, 0, {.cluster_blocks = 16}, {.non_portable_clusters = true}).threads,
              1024);
    static_assert(resident_blocks(sm_90, {.registers = 32}, {.threads = 256, .cluster_blocks = 8}) == 8);
}

TEST(clusters, unknown_gpc_sizes_give_only_an_interval)
{
    EXPECT_EQ(estimate_clusters(sm_120, 170, 4, 2).expected, std::nullopt);
    EXPECT_EQ(estimate_clusters(sm_120, 170, 4, 2).high, 85);
    EXPECT_EQ(estimate_clusters(sm_90, 132, 0, 1).expected, 0);
}

// Numbers beyond any GPU: a constant expression would not compile if one of them overflowed.
TEST(clusters, any_numbers_give_an_interval)
{
    constexpr int most = std::numeric_limits<int>::max();
    constexpr cluster_estimate by_sms = estimate_clusters(sm_90, most, 2, most);
    constexpr cluster_estimate one_block = estimate_clusters(sm_90, most, 1, most);
    constexpr int gpcs[] = {most, most, -most, 0};
    constexpr cluster_estimate by_gpcs = estimate_clusters(gpcs, 1, most);
    for (const cluster_estimate& estimate : {by_sms, one_block, by_gpcs}) {
        EXPECT_GE(estimate.high, estimate.low);
        EXPECT_GE(estimate.low, 0);
    }
}

}  // namespace
}  // namespace launchbox
