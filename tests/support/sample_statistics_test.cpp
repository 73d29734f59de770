#include "support/sample_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace launchbox {
namespace {

TEST(sample_statistics, no_samples_and_one)
{
    EXPECT_EQ(summarise({}), sample_summary{});
    EXPECT_EQ(summarise({3}), (sample_summary{.count = 1, .median = 3, .low = 3, .high = 3}));
}

// The ranks in textbooks (Conover, Practical Nonparametric Statistics, table of sign-test intervals at 95 %).
TEST(sample_statistics, the_interval_has_the_ranks_of_the_sign_test)
{
    for (const auto& [count, rank] :
         {std::pair{6, 1}, {7, 1}, {8, 1}, {9, 2}, {10, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {50, 18}}) {
        std::vector<double> samples(static_cast<std::size_t>(count));
        std::iota(samples.begin(), samples.end(), 1.0);
        std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
        const sample_summary summary = summarise(samples);
        EXPECT_EQ(summary.low, rank) << count;
        EXPECT_EQ(summary.high, count + 1 - rank) << count;
        EXPECT_EQ(summary.median, (count + 1) / 2.0) << count;
    }
}

TEST(sample_statistics, the_interval_contains_the_median_as_often_as_promised)
{
    std::mt19937 random(7);
    std::lognormal_distribution<double> times(0, 0.5);  // its median is 1
    int held = 0;
    const int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> samples(11);
        for (double& sample : samples) sample = times(random);
        const sample_summary summary = summarise(samples);
        held += summary.low <= 1 && 1 <= summary.high;
    }
    EXPECT_GE(held, rounds * 95 / 100);
    EXPECT_LT(held, rounds * 995 / 1000);  // nor is it too wide: with ranks 2 and 10 of 11 it would be 98.8 %
}

TEST(sample_statistics, overlapping_intervals_do_not_differ)
{
    const sample_summary fast{.count = 9, .median = 10, .low = 9, .high = 11};
    const sample_summary slow{.count = 9, .median = 14, .low = 12, .high = 16};
    const sample_summary between{.count = 9, .median = 11, .low = 10, .high = 13};
    EXPECT_TRUE(differs(fast, slow));
    EXPECT_TRUE(differs(slow, fast));
    EXPECT_FALSE(differs(fast, between));
    EXPECT_FALSE(differs(slow, between));
}

}  // namespace
}  // namespace launchbox
