// The score over several workloads, against means computed by hand.
#include "tune/ranking/overall_score.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "recorded_results.hpp"

namespace launchbox {
namespace {

stored_result timed(std::int64_t threads, std::int64_t n, std::vector<double> samples, double weight = 1)
{
    stored_result result = example_result(threads, 11, n, 1);
    result.measured.samples_ns = std::move(samples);
    result.weight = weight;
    return result;
}

std::vector<double> always(double time)
{
    return std::vector<double>(15, time);
}

overall_ranking ranked(const std::vector<stored_result>& results)
{
    return rank_overall(results, rank(results, {}, tuning_values(256, 11)));
}

TEST(overall_score, is_the_weighted_geometric_mean)
{
    const overall_ranking found =
        ranked({timed(256, 1, always(100)), timed(128, 1, always(50)), timed(64, 1, always(80)),
                timed(256, 2, always(200), 3), timed(128, 2, always(400), 3), timed(64, 2, always(160), 3)});
    EXPECT_TRUE(found.over_baseline);
    ASSERT_EQ(found.candidates.size(), 3u);
    EXPECT_EQ(found.candidates[0].parameters, tuning_values(64, 11));
    EXPECT_DOUBLE_EQ(found.candidates[0].score.times, 1.25);
    EXPECT_TRUE(found.candidates[1].is_baseline);
    EXPECT_EQ(found.candidates[1].score, gain{});
    // Twice as fast on one, half as fast on the other with three times the weight: the fourth root of 2 / 8.
    EXPECT_DOUBLE_EQ(found.candidates[2].score.times, std::sqrt(0.5));
    const overall_candidate& uneven = found.candidates[2];
    EXPECT_EQ(uneven.speeds[uneven.worst].ranking, 1u);
    EXPECT_DOUBLE_EQ(uneven.speeds[uneven.worst].speed.times, 0.5);
    ASSERT_TRUE(found.over_next);
    EXPECT_DOUBLE_EQ(found.over_next->times, 1.25);
}

// By the samples, 128 is faster than 64; in the race, 64 was faster. The baseline did not race, so both are compared
// with it at the level of their samples: the mean of log(50 / 500) and log(51 / 490).
TEST(overall_score, uses_the_final_race_for_candidates_that_took_part)
{
    const std::vector<stored_result> results{timed(256, 1, always(100)), timed(128, 1, always(50)),
                                             timed(64, 1, always(51))};
    const std::vector<race_result_info> races{
        {.run = 1,
         .workload = sizes(1),
         .entries = {{tuning_values(64, 11), always(490)}, {tuning_values(128, 11), always(500)}},
         .verdict = "winner"}};
    const overall_ranking found = rank_overall(results, rank(results, races, tuning_values(256, 11)));
    ASSERT_EQ(found.candidates.size(), 3u);
    EXPECT_EQ(found.candidates[0].parameters, tuning_values(64, 11));
    const double level = std::sqrt(50.0 / 500 * 51.0 / 490);
    EXPECT_DOUBLE_EQ(found.candidates[0].score.times, 100 / (490 * level));
    EXPECT_DOUBLE_EQ(found.candidates[1].score.times, 100 / (500 * level));
    ASSERT_TRUE(found.over_next);
    EXPECT_DOUBLE_EQ(found.over_next->times, 500.0 / 490);
}

TEST(overall_score, its_interval_combines_those_of_the_workloads)
{
    std::vector<double> spread;  // 73 to 87: the 4th of 15 from each end is 76 and 84
    for (int i = 0; i < 15; ++i) spread.push_back(73 + i);
    const overall_ranking found = ranked(
        {timed(256, 1, always(100)), timed(128, 1, spread), timed(256, 2, always(100)), timed(128, 2, always(25))});
    ASSERT_EQ(found.candidates.size(), 2u);
    EXPECT_DOUBLE_EQ(found.candidates[0].score.times, std::sqrt(100.0 / 80 * 4));
    EXPECT_DOUBLE_EQ(found.candidates[0].score.low, std::sqrt(100.0 / 84 * 4));
    EXPECT_DOUBLE_EQ(found.candidates[0].score.high, std::sqrt(100.0 / 76 * 4));
}

TEST(overall_score, without_baseline_the_fastest_of_each_workload_is_the_reference)
{
    // The baseline was not measured on the second workload.
    const overall_ranking found =
        ranked({timed(256, 1, always(10)), timed(128, 1, always(50)), timed(64, 1, always(100)),
                timed(128, 2, always(90)), timed(64, 2, always(40))});
    EXPECT_FALSE(found.over_baseline);
    EXPECT_EQ(found.incomplete, 1u);
    ASSERT_EQ(found.candidates.size(), 2u);
    EXPECT_EQ(found.candidates[0].parameters, tuning_values(64, 11));
    EXPECT_DOUBLE_EQ(found.candidates[0].score.times, std::sqrt(10.0 / 100 * 1));
    EXPECT_DOUBLE_EQ(found.candidates[1].score.times, std::sqrt(10.0 / 50 * 40 / 90));
}

TEST(overall_score, candidates_with_the_same_code_everywhere_are_one_choice)
{
    std::vector<stored_result> results{
        timed(256, 1, always(100)), timed(128, 1, always(50)), timed(64, 1, always(50)), timed(32, 1, always(50)),
        timed(256, 2, always(100)), timed(128, 2, always(50)), timed(64, 2, always(50)), timed(32, 2, always(50))};
    results[2].same_as = results[6].same_as = tuning_values(128, 11);
    results[3].same_as = tuning_values(128, 11);  // the same on one workload only: another choice
    const overall_ranking found = ranked(results);
    ASSERT_EQ(found.candidates.size(), 4u);
    EXPECT_EQ(found.candidates[0].same_as, std::nullopt);
    EXPECT_EQ(found.candidates[1].parameters, tuning_values(64, 11));
    EXPECT_EQ(found.candidates[1].same_as, 0u);
    EXPECT_EQ(found.candidates[2].same_as, std::nullopt);
    EXPECT_EQ(found.over_next, gain{}) << "the next is the one with other code";
}

TEST(overall_score, a_candidate_that_failed_on_a_workload_has_none)
{
    std::vector<stored_result> results{timed(256, 1, always(100)), timed(128, 1, always(50)),
                                       timed(256, 2, always(100)), failed(128, 11, 2, outcome::wrong_result, "no")};
    results.push_back(results[1]);  // listed twice, as a file of another program may have it
    const overall_ranking found = ranked(results);
    ASSERT_EQ(found.candidates.size(), 1u);
    EXPECT_TRUE(found.candidates[0].is_baseline);
    EXPECT_EQ(found.incomplete, 1u);
}

TEST(overall_score, there_is_one_winner_or_a_reason_for_none)
{
    const auto jumping = [](double time, double part) {
        std::vector<double> samples;
        for (int i = 0; i < 15; ++i) samples.push_back(time * (1 + (i == 7 ? 0 : i < 7 ? -part : part)));
        return samples;
    };
    const auto with = [&](double part) {
        return ranked({timed(256, 1, jumping(100, part)), timed(128, 1, jumping(98, part)),
                       timed(256, 2, jumping(100, part)), timed(128, 2, jumping(98, part))});
    };
    EXPECT_EQ(with(0.001).winner, 0u);
    EXPECT_EQ(with(0.02).winner, 1u) << "the baseline, where nothing is measurably faster";
    const overall_ranking noisy = with(0.3);
    EXPECT_FALSE(noisy.winner);
    ASSERT_TRUE(noisy.noise);
    EXPECT_NEAR(noisy.noise->most, 0.3, 0.02);
}

}  // namespace
}  // namespace launchbox
