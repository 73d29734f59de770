// The best result so far, against costs that are added up by hand.
#include "tune/ranking/convergence.hpp"

#include <gtest/gtest.h>

#include "recorded_results.hpp"

namespace launchbox {
namespace {

std::vector<convergence> converged(const std::vector<stored_result>& results)
{
    return converge(results, rank(results, {}, tuning_values(256, 11)));
}

// Each takes 0.75 s of compiling and 0.25 s of measuring, unless stated otherwise.
std::vector<stored_result> some_results()
{
    std::vector<stored_result> results;
    results.push_back(failed(1024, 17, 1, outcome::rejected, "too large"));
    results.back().compile_seconds = 0;
    results.back().measured.seconds = 0;
    results.push_back(example_result(256, 11, 1, 125'000));
    results.push_back(failed(1024, 15, 1, outcome::compile_error, "no"));
    results.back().compile_seconds = 2;
    results.push_back(example_result(128, 11, 1, 109'000));
    results.push_back(example_result(128, 13, 1, 109'000));
    results.back().same_as = tuning_values(128, 11);
    results.push_back(example_result(64, 3, 1, 90'000));
    results.back().measured.stopped_early = true;
    results.push_back(example_result(64, 5, 1, 104'000));
    results.push_back(example_result(64, 7, 1, 100'000));
    results.push_back(example_result(64, 9, 1, 150'000));
    return results;
}

TEST(convergence, counts_evaluations_and_charges_time)
{
    const std::vector<convergence> all = converged(some_results());
    ASSERT_EQ(all.size(), 1u);
    const convergence& found = all[0];
    EXPECT_EQ(found.evaluations, 8u) << "all but the rejected one";
    EXPECT_DOUBLE_EQ(found.seconds, 1 + 2.01 + 1 + 0.75 + 1 + 1 + 1 + 1);
    ASSERT_EQ(found.improvements.size(), 4u);
    const std::size_t evaluations[] = {1, 3, 6, 7};
    const double seconds[] = {1, 4.01, 6.76, 7.76}, gaps[] = {0.25, 0.09, 0.04, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found.improvements[i].evaluation, evaluations[i]);
        EXPECT_NEAR(found.improvements[i].seconds, seconds[i], 1e-12);
        EXPECT_NEAR(found.improvements[i].gap, gaps[i], 1e-12);
    }
    EXPECT_EQ(found.improvements[3].parameters, tuning_values(64, 7));
    EXPECT_EQ(found.reached, (std::array<std::size_t, 3>{1, 2, 3}));
}

TEST(convergence, over_all_workloads_is_known_after_the_last)
{
    std::vector<stored_result> results{example_result(256, 11, 1, 100), example_result(128, 11, 1, 50),
                                       example_result(256, 11, 2, 100), example_result(128, 11, 2, 50)};
    results[2].compile_seconds = results[3].compile_seconds = 0.5;  // compiled again for the other workload
    const std::vector<convergence> all = converged(results);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_FALSE(all[2].workload);
    EXPECT_EQ(all[2].evaluations, 2u);
    ASSERT_EQ(all[2].improvements.size(), 2u);
    EXPECT_DOUBLE_EQ(all[2].improvements[0].seconds, 2.75);
    EXPECT_DOUBLE_EQ(all[2].improvements[0].value, 1);
    EXPECT_DOUBLE_EQ(all[2].improvements[0].gap, 1) << "half as fast as the best takes 100 % longer";
    EXPECT_DOUBLE_EQ(all[2].improvements[1].seconds, 3.5);
    EXPECT_DOUBLE_EQ(all[2].improvements[1].value, 2);
    EXPECT_DOUBLE_EQ(all[1].seconds, 1.5) << "a workload's time is its own";
}

TEST(convergence, one_compile_for_several_workloads_is_charged_once)
{
    const std::vector<convergence> all = converged({example_result(256, 11, 1, 100), example_result(256, 11, 2, 100)});
    EXPECT_DOUBLE_EQ(all[0].seconds, 1);
    EXPECT_DOUBLE_EQ(all[1].seconds, 1);
    EXPECT_DOUBLE_EQ(all[2].seconds, 1.25);
}

TEST(convergence, without_a_winner)
{
    const std::vector<convergence> all = converged({failed(64, 3, 1, outcome::hang, "no answer")});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].evaluations, 1u);
    EXPECT_TRUE(all[0].improvements.empty());
}

}  // namespace
}  // namespace launchbox
