// The importance of parameters, with made-up times for which it is known.
#include "tune/ranking/importance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace launchbox {
namespace {

using time_of = std::function<double(int threads, int items, int idle)>;

// All combinations of four values of each parameter.
std::vector<stored_result> grid(const time_of& log_time)
{
    std::vector<stored_result> results;
    for (int threads = 0; threads < 4; ++threads)
        for (int items = 0; items < 4; ++items)
            for (int idle = 0; idle < 4; ++idle) {
                stored_result result;
                result.parameters = {{{"threads", std::int64_t{threads}},
                                      {"items", std::int64_t{items}},
                                      {"idle", std::int64_t{idle}},
                                      {"same", std::int64_t{1}}}};
                const double time = std::exp(log_time(threads, items, idle));
                result.measured.samples_ns = {time, time, time, time, time, time};
                results.push_back(std::move(result));
            }
    return results;
}

importance found_in(const std::vector<stored_result>& results)
{
    const std::vector<ranking> rankings = rank(results, {}, std::nullopt);
    EXPECT_EQ(rankings.size(), 1u);
    return importance_of(results, rankings.front());
}

double explained(const std::vector<parameter_importance>& all, const std::vector<std::string>& names)
{
    for (const parameter_importance& one : all)
        if (one.parameters == names) return one.explained;
    return -1;
}

TEST(importance, is_the_share_of_the_variance_of_a_sum)
{
    // The values 0 to 3 have the same variance, so factors 3 and 1 give shares of 9 and 1 in 10.
    const importance found = found_in(grid([](int threads, int items, int) { return 3.0 * threads + items; }));
    EXPECT_EQ(found.candidates, 64u);
    ASSERT_EQ(found.singles.size(), 3u) << "a parameter with one value is left out";
    EXPECT_EQ(found.singles.front().parameters, std::vector<std::string>{"threads"});
    EXPECT_NEAR(explained(found.singles, {"threads"}), 0.9, 0.01);
    EXPECT_NEAR(explained(found.singles, {"items"}), 0.1, 0.05);
    EXPECT_LT(explained(found.singles, {"idle"}), 0.001);
    for (const parameter_importance& pair : found.pairs) EXPECT_LT(pair.explained, 0.06) << "they only add up";
}

TEST(importance, detects_two_that_only_matter_together)
{
    const importance found =
        found_in(grid([](int threads, int items, int) { return (threads + items) % 2 == 0 ? 1.0 : 0.0; }));
    for (const parameter_importance& one : found.singles) EXPECT_LT(one.explained, 0.01);
    ASSERT_EQ(found.pairs.size(), 1u);
    EXPECT_EQ(found.pairs.front().parameters, (std::vector<std::string>{"items", "threads"}));
    EXPECT_NEAR(found.pairs.front().explained, 1, 1e-9);
}

TEST(importance, noise_has_none)
{
    std::mt19937 engine(7);
    std::normal_distribution<double> noise;
    const importance found = found_in(grid([&](int, int, int) { return noise(engine); }));
    for (const parameter_importance& one : found.singles) EXPECT_LT(one.explained, 0.12);
}

TEST(importance, is_unknown_with_too_few_results)
{
    EXPECT_TRUE(found_in(grid([](int, int, int) { return 1.0; })).singles.empty()) << "all times are equal";
    std::vector<stored_result> few = grid([](int threads, int, int) { return 1.0 * threads; });
    few.resize(7);
    EXPECT_TRUE(found_in(few).singles.empty());
}

}  // namespace
}  // namespace launchbox
