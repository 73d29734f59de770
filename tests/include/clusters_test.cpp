// The cluster estimate against cudaOccupancyMaxActiveClusters, as measured on one H200 (measurements/nvidia-h200).
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

TEST(clusters, the_interval_from_the_number_of_sms_holds_every_count_of_the_h200)
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

TEST(clusters, unknown_gpc_sizes_give_an_interval_alone)
{
    EXPECT_EQ(estimate_clusters(sm_120, 170, 4, 2).expected, std::nullopt);
    EXPECT_EQ(estimate_clusters(sm_120, 170, 4, 2).high, 85);
    EXPECT_EQ(estimate_clusters(sm_90, 132, 0, 1).expected, 0);
}

// Numbers that no GPU has: a constant expression would not compile if one of them overflowed.
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
