// Comparison of two runs, made up so that the differences are known.
#include "tune/ranking/run_comparison.hpp"

#include <gtest/gtest.h>

#include <random>

#include "recorded_results.hpp"

namespace launchbox {
namespace {

run_comparison compared(const recorded_run& a, const recorded_run& b)
{
    return compare_runs(a, rank(a.results, a.races, a.info.baseline), b, rank(b.results, b.races, b.info.baseline));
}

recorded_run compared_run(std::vector<stored_result> results)
{
    return {1, example_run(), std::move(results), {}};
}

TEST(run_comparison, with_itself_nothing_changed)
{
    const run_comparison found = compared(example_results(), example_results());
    EXPECT_TRUE(found.differences.empty());
    EXPECT_TRUE(found.same_task && found.same_machine);
    ASSERT_EQ(found.workloads.size(), 2u);
    const compared_workload& small = found.workloads[0];
    EXPECT_EQ(small.candidates.size(), 12u);
    EXPECT_EQ(small.faster + small.slower + small.unclear + small.only_a + small.only_b, 0u);
    EXPECT_EQ(small.equal, 6u);
    EXPECT_EQ(small.shared, 1u);
    EXPECT_EQ(small.median_ratio, 1);
    EXPECT_EQ(small.winner_a->parameters, tuning_values(128, 17));
    // The race decided; by its own samples, 128 x 15 is faster.
    EXPECT_DOUBLE_EQ(small.winner_a->over_best->times, 1.004);
    EXPECT_EQ(small.best->moved, move_kind::equal);
    EXPECT_EQ(found.workloads[1].winner_b->over_best, gain{});
}

TEST(run_comparison, names_the_changes)
{
    const recorded_run a =
        compared_run({example_result(256, 11, 1, 1000), example_result(128, 11, 1, 900), example_result(64, 11, 1, 800),
                      example_result(32, 11, 1, 2000), failed(512, 11, 1, outcome::hang, "no answer"),
                      example_result(16, 11, 1, 3000)});
    recorded_run b = compared_run({example_result(256, 11, 1, 1000), example_result(128, 11, 1, 720),
                                   example_result(64, 11, 1, 960), example_result(32, 11, 1, 2012),
                                   example_result(512, 11, 1, 5000), example_result(8, 11, 1, 3000)});
    b.results[2].kernel->figures.registers = 40;
    b.results[2].kernel->figures.spill_store_bytes = 8;
    std::swap(b.results[3].parameters.values[0], b.results[3].parameters.values[1]);
    const run_comparison found = compared(a, b);
    ASSERT_EQ(found.workloads.size(), 1u);
    const compared_workload& one = found.workloads[0];
    EXPECT_EQ(one.faster, 1u);
    EXPECT_EQ(one.slower, 1u);
    EXPECT_EQ(one.equal, 2u) << "0.6 % is none";
    EXPECT_EQ(one.only_a, 1u);
    EXPECT_EQ(one.only_b, 1u);
    EXPECT_DOUBLE_EQ(*one.median_ratio, (1 + 1.006) / 2);
    ASSERT_EQ(one.candidates.size(), 5u);
    // ln 0.8 is farther from 0 than ln 1.2.
    EXPECT_DOUBLE_EQ(one.candidates[0].time->ratio.times, 0.8);
    EXPECT_EQ(one.candidates[0].time->moved, move_kind::faster);
    EXPECT_DOUBLE_EQ(one.candidates[1].time->ratio.times, 1.2);
    EXPECT_EQ(one.candidates[1].registers, 5);
    EXPECT_EQ(one.candidates[1].spill_bytes, 8);
    EXPECT_FALSE(one.candidates.back().time) << "it was not measured in A";
    // 64 x 11 is A's winner and takes 960 in B, where 128 x 11 takes 720; in A they take 800 and 900.
    EXPECT_EQ(one.winner_a->parameters, tuning_values(64, 11));
    EXPECT_DOUBLE_EQ(one.winner_a->over_best->times, 960.0 / 720);
    EXPECT_EQ(one.winner_b->parameters, tuning_values(128, 11));
    EXPECT_DOUBLE_EQ(one.winner_b->over_best->times, 900.0 / 800);
    EXPECT_EQ(one.winner_b->a_ns, 900);
    EXPECT_EQ(one.best->moved, move_kind::faster);
    EXPECT_DOUBLE_EQ(one.best->ratio.times, 0.9);
}

TEST(run_comparison, few_samples_decide_nothing)
{
    const auto summary = [](double time, std::size_t count) {
        return sample_summary{.count = count, .median = time, .low = time, .high = time};
    };
    EXPECT_EQ(move_between(summary(100, 1), summary(200, 1)).moved, move_kind::unclear);
    EXPECT_EQ(move_between(summary(100, 3), summary(200, 3)).moved, move_kind::unclear) << "2 in 20";
    EXPECT_EQ(move_between(summary(100, 4), summary(200, 4)).moved, move_kind::slower) << "2 in 70";
    EXPECT_EQ(move_between(summary(100, 4), summary(50, 4)).moved, move_kind::faster);
    EXPECT_EQ(move_between(summary(100, 1), summary(100.9, 1)).moved, move_kind::equal);
    EXPECT_EQ(move_between({.count = 9, .median = 100, .low = 80, .high = 120},
                           {.count = 9, .median = 150, .low = 119, .high = 180})
                  .moved,
              move_kind::equal)
        << "the intervals meet";
}

TEST(run_comparison, noise_alone_changes_almost_nothing)
{
    std::mt19937 random(7);
    recorded_run runs[2] = {compared_run({}), compared_run({})};
    for (recorded_run& run : runs)
        for (std::int64_t i = 0; i < 600; ++i) {
            run.results.push_back(example_result(32 + i, 3, 1, 1));
            std::normal_distribution<double> time(1000 + static_cast<double>(i), 40);
            for (double& sample : run.results.back().measured.samples_ns) sample = time(random);
        }
    const compared_workload found = compared(runs[0], runs[1]).workloads.at(0);
    EXPECT_EQ(found.faster + found.slower + found.equal, 600u);
    EXPECT_LE(found.faster + found.slower, 12u);
    EXPECT_GT(found.expected_by_chance, 0);
    EXPECT_LT(found.expected_by_chance, 6);
}

TEST(run_comparison, chance_is_exact)
{
    EXPECT_NEAR(chance_of_differing(1, 1), 1, 1e-9);
    EXPECT_NEAR(chance_of_differing(3, 3), 2.0 / 20, 1e-9);
    EXPECT_NEAR(chance_of_differing(4, 4), 2.0 / 70, 1e-9);
    EXPECT_NEAR(chance_of_differing(2, 6), 2.0 / 28, 1e-9);
    EXPECT_EQ(chance_of_differing(0, 5), 1);
    // By simulation, where the interval is not the extremes: 9 samples (2nd to 8th) and 12 (3rd to 10th).
    std::mt19937 random(11);
    std::uniform_real_distribution<double> any;
    int apart = 0;
    constexpr int trials = 100'000;
    for (int i = 0; i < trials; ++i) {
        std::vector<double> one(9), other(12);
        for (double& value : one) value = any(random);
        for (double& value : other) value = any(random);
        apart += differs(summarise(one), summarise(other)) ? 1 : 0;
    }
    const double chance = chance_of_differing(9, 12), deviation = std::sqrt(chance / trials);
    EXPECT_NEAR(static_cast<double>(apart) / trials, chance, 5 * deviation);
}

TEST(run_comparison, another_gpu_is_compared_with_the_median)
{
    recorded_run a = compared_run({}), b = compared_run({});
    b.info.environment.gpu = "Other GPU";
    b.info.environment.sms = 60;
    b.info.source_hash = "other";
    for (std::int64_t i = 0; i < 5; ++i) {
        a.results.push_back(example_result(32 + i, 3, 1, 1000));
        b.results.push_back(example_result(32 + i, 3, 1, i == 2 ? 1000 : 2000));
    }
    const run_comparison found = compared(a, b);
    EXPECT_FALSE(found.same_machine);
    EXPECT_TRUE(found.same_task);
    ASSERT_EQ(found.differences.size(), 3u);
    EXPECT_EQ(found.differences[0].what, "GPU");
    EXPECT_EQ(found.differences[0].b, "Other GPU");
    EXPECT_EQ(found.differences[1].what, "SMs");
    EXPECT_EQ(found.differences[2].what, "source");
    EXPECT_EQ(found.workloads[0].candidates[0].a, 2u);
    EXPECT_EQ(found.workloads[0].slower, 4u);
    b.info.task_hash = "another";
    EXPECT_FALSE(compared(a, b).same_task);
}

TEST(run_comparison, workloads_of_only_one_run)
{
    const run_comparison found = compared(compared_run({example_result(32, 3, 1, 10), example_result(32, 3, 2, 10)}),
                                          compared_run({example_result(32, 3, 2, 10), example_result(32, 3, 3, 10)}));
    ASSERT_EQ(found.workloads.size(), 1u);
    EXPECT_EQ(found.workloads[0].workload, sizes(2));
    EXPECT_EQ(found.only_a, std::vector<assignment>{sizes(1)});
    EXPECT_EQ(found.only_b, std::vector<assignment>{sizes(3)});
}

TEST(run_comparison, a_winner_that_failed_in_the_other_run)
{
    const run_comparison found =
        compared(compared_run({example_result(32, 3, 1, 10), example_result(64, 3, 1, 20)}),
                 compared_run({failed(32, 3, 1, outcome::trap, "assert"), example_result(64, 3, 1, 20)}));
    const compared_workload& one = found.workloads.at(0);
    EXPECT_EQ(one.winner_a->elsewhere, outcome::trap);
    EXPECT_FALSE(one.winner_a->over_best);
    EXPECT_DOUBLE_EQ(one.winner_b->over_best->times, 2);
    EXPECT_EQ(one.best->moved, move_kind::slower);
    const run_comparison none = compared(compared_run({example_result(32, 3, 1, 10)}),
                                         compared_run({failed(32, 3, 1, outcome::trap, "assert")}));
    EXPECT_FALSE(none.workloads.at(0).winner_b);
    EXPECT_FALSE(none.workloads.at(0).best);
}

}  // namespace
}  // namespace launchbox
