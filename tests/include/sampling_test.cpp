// When a series of samples is sufficient, with series of known distributions. The seeds are fixed, so that all runs are
// equal.
#include <gtest/gtest.h>
#include <launchbox/detail/measure/measure_statistics.hpp>
#include <launchbox/detail/measure/sampling.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace launchbox::detail {
namespace {

using distribution = std::function<double(std::mt19937_64&, int)>;

// Own formulas, since the library's distributions differ between standard libraries.
double uniform(std::mt19937_64& random)
{
    return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
}

double normal(std::mt19937_64& random)
{
    const double radius = std::sqrt(-2 * std::log(uniform(random)));
    return radius * std::cos(6.283185307179586 * uniform(random));
}

sample_series series_of(const distribution& next, std::uint64_t seed, sampling_rules rules = {.max_seconds = 1e9})
{
    std::mt19937_64 random(seed);
    sample_series series(rules);
    for (int i = 0; series.state(0) == sampling_state::more; ++i) series.add(next(random, i));
    return series;
}

double constant(std::mt19937_64&, int)
{
    return 20'000;
}
double one_percent(std::mt19937_64& random, int)
{
    return 50'000 * (1 + 0.01 * normal(random));
}
double ten_percent(std::mt19937_64& random, int)
{
    return 50'000 * (1 + 0.1 * normal(random));
}
double bimodal(std::mt19937_64& random, int)
{
    return (uniform(random) < 0.7 ? 50'000 : 56'000) * (1 + 0.002 * normal(random));
}
// Log-normal, with occasional delays as by the host's scheduler.
double heavy_tail(std::mt19937_64& random, int)
{
    const double usual = 50'000 * std::exp(0.02 * normal(random));
    return uniform(random) < 0.02 ? usual * (1 + 3 / std::sqrt(uniform(random))) : usual;
}

struct sizes {
    int least = 0, middle = 0, greatest = 0;
};
sizes sizes_of(const distribution& next, int series, const sampling_rules& rules = {.max_seconds = 1e9})
{
    std::vector<int> counts;
    for (int seed = 0; seed < series; ++seed)
        counts.push_back(
            static_cast<int>(series_of(next, static_cast<std::uint64_t>(seed), rules).samples_ns().size()));
    std::sort(counts.begin(), counts.end());
    return {counts.front(), counts[counts.size() / 2], counts.back()};
}

TEST(sampling, a_constant_time_needs_the_fewest_samples)
{
    EXPECT_EQ(series_of(constant, 1).samples_ns().size(), 10u);
    EXPECT_EQ(series_of(constant, 1, {.min_samples = 3}).samples_ns().size(), 3u);
    EXPECT_EQ(series_of([](auto&, int) { return 0.0; }, 1).samples_ns().size(), 10u);
}

TEST(sampling, noise_of_one_percent_needs_few_samples)
{
    const sizes taken = sizes_of(one_percent, 1000);
    EXPECT_EQ(taken.least, 10);
    EXPECT_EQ(taken.middle, 10);
    EXPECT_LE(taken.greatest, 30);
}

TEST(sampling, more_noise_needs_more_samples)
{
    // With a deviation of 10 %, 0.5 % would take 400 samples; the entropy is constant earlier.
    const sizes taken = sizes_of(ten_percent, 200);
    EXPECT_GE(taken.least, 100);
    EXPECT_LE(taken.greatest, 550);
    const sizes modes = sizes_of(bimodal, 200);
    EXPECT_GE(modes.middle, 60);
    EXPECT_LE(modes.greatest, 200);
}

// If every tenth sample is an outlier of several times the median, the standard error stays large: 0.5 % would take
// some 40,000 samples.
TEST(sampling, the_entropy_ends_a_series_that_the_standard_error_would_continue)
{
    const auto many_outliers = [](std::mt19937_64& random, int) {
        const double usual = 50'000 * std::exp(0.02 * normal(random));
        return uniform(random) < 0.1 ? usual * (1 + 3 / std::sqrt(uniform(random))) : usual;
    };
    int by_entropy = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const std::vector<double> samples = series_of(many_outliers, seed).samples_ns();
        EXPECT_LT(samples.size(), 1000u) << seed;
        const double count = static_cast<double>(samples.size());
        double mean = 0, squares = 0;
        for (const double sample : samples) mean += sample / count;
        for (const double sample : samples) squares += (sample - mean) * (sample - mean);
        if (std::sqrt(squares / (count - 1) / count) <= 0.005 * mean) continue;
        ++by_entropy;
        EXPECT_GE(samples.size(), 30u) << seed;
    }
    EXPECT_GE(by_entropy, 100);
}

// The true medians by formula: exp(0), and 0 for the symmetric ones; with two modes, the quantile 0.5 / 0.7 of the
// first.
TEST(sampling, the_interval_contains_the_true_median)
{
    struct known {
        const char* name;
        distribution next;
        double median;
    };
    // The normal quantile of 5/7 is 0.565949; for the heavy tail it is the median of the mixture: P(usual < m) * 0.98 =
    // 0.5.
    const std::vector<known> all{{"constant", constant, 20'000},
                                 {"1 %", one_percent, 50'000},
                                 {"10 %", ten_percent, 50'000},
                                 {"bimodal", bimodal, 50'000 * (1 + 0.002 * 0.5659488)},
                                 {"heavy tail", heavy_tail, 50'000 * std::exp(0.02 * 0.0255790)}};
    for (const known& kind : all) {
        int holds = 0;
        for (std::uint64_t seed = 0; seed < 1000; ++seed) {
            const median_estimate estimate = estimate_median(series_of(kind.next, seed + 5000).samples_ns());
            EXPECT_LE(estimate.low, estimate.median);
            EXPECT_GE(estimate.high, estimate.median);
            holds += estimate.low <= kind.median && kind.median <= estimate.high;
        }
        EXPECT_GE(holds, 900) << kind.name;
        RecordProperty(kind.name, holds);
    }
}

TEST(sampling, a_drift_does_not_end_it_early)
{
    // Slopes for which the first ten samples have a standard error below 0.5 %: 0.3 % and 0.5 % per sample, without and
    // with noise.
    for (const double slope : {0.003, 0.005, -0.004})
        for (const double noise : {0.0, 0.002}) {
            const auto drifting = [&](std::mt19937_64& random, int i) {
                return 50'000 * (1 + slope * i + noise * normal(random));
            };
            const sizes taken = sizes_of(drifting, 100, {.max_samples = 150, .max_seconds = 1e9});
            EXPECT_GT(taken.least, 20) << slope << ' ' << noise;
        }
    // A clock that increases during the first samples and then stays constant.
    const auto warming = [](std::mt19937_64& random, int i) {
        return 50'000 * (1 + (i < 8 ? 0.004 * (8 - i) : 0) + 0.001 * normal(random));
    };
    EXPECT_GT(sizes_of(warming, 100).least, 12);
    EXPECT_LE(sizes_of(warming, 100).greatest, 200);
}

TEST(sampling, the_maximum_of_samples_without_a_goal)
{
    EXPECT_EQ(series_of(ten_percent, 1, {.max_samples = 60, .max_seconds = 1e9}).samples_ns().size(), 60u);
    EXPECT_EQ(series_of(constant, 1, {.max_samples = 60, .relative_error = 0, .max_seconds = 1e9}).samples_ns().size(),
              60u);
    EXPECT_EQ(series_of(constant, 1, {.max_samples = 1, .max_seconds = 1e9}).samples_ns().size(), 1u);
}

TEST(sampling, a_time_limit_leaves_one_sample)
{
    sample_series series({.max_seconds = 2});
    EXPECT_EQ(series.state(100), sampling_state::more);
    series.add(1000);
    EXPECT_EQ(series.state(1.9), sampling_state::more);
    EXPECT_EQ(series.state(2), sampling_state::out_of_time);
    for (int i = 0; i < 9; ++i) series.add(1000);
    EXPECT_EQ(series.state(100), sampling_state::enough);
}

TEST(sampling, a_candidate_slower_than_the_best_is_given_up)
{
    const sampling_rules rules{.best_ns = 1000, .give_up_ratio = 1.5};
    sample_series slow(rules);
    for (const double sample : {1500.0, 9000.0}) slow.add(sample);
    EXPECT_EQ(slow.state(0), sampling_state::more);
    slow.add(1501);
    EXPECT_EQ(slow.state(0), sampling_state::given_up);
    EXPECT_EQ(slow.state(100), sampling_state::given_up);

    sample_series once_fast(rules);
    for (const double sample : {1499.0, 9000.0, 9000.0, 9000.0}) once_fast.add(sample);
    EXPECT_EQ(once_fast.state(0), sampling_state::more);
    // A series that is already sufficient is not given up.
    sample_series known(rules);
    for (int i = 0; i < 10; ++i) known.add(5000);
    EXPECT_EQ(known.state(0), sampling_state::enough);
}

TEST(sampling, a_much_slower_candidate_is_given_up_at_once)
{
    const sampling_rules rules{.best_ns = 1000, .give_up_ratio = 1.5, .certain_ratio = 3};
    sample_series slow(rules);
    slow.add(2999);
    EXPECT_EQ(slow.state(0), sampling_state::more);
    sample_series slower(rules);
    slower.add(3000);
    EXPECT_EQ(slower.state(0), sampling_state::given_up);
    // One late sample after a good one is not enough.
    sample_series late(rules);
    for (const double sample : {1400.0, 9000.0}) late.add(sample);
    EXPECT_EQ(late.state(0), sampling_state::more);
    // Nor is the first sample, when nothing is known yet.
    sample_series first({.certain_ratio = 3});
    first.add(1e9);
    EXPECT_EQ(first.state(0), sampling_state::more);
}

TEST(sampling, discarded_samples_are_only_counted)
{
    sample_series series({.max_samples = 5});
    series.drop();
    series.add(7);
    series.drop();
    EXPECT_EQ(series.dropped(), 2);
    EXPECT_EQ(series.samples_ns(), std::vector<double>{7});
    EXPECT_EQ(series.state(0), sampling_state::more);

    sample_series throttled({.max_samples = 5});
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(throttled.state(1000), sampling_state::more);
        throttled.drop();
    }
    EXPECT_EQ(throttled.state(1000), sampling_state::out_of_time);
}

TEST(median_estimate, ranks_of_the_interval)
{
    // From tables of the sign test: 95 % intervals of the median, as the number of samples outside on each side.
    const std::vector<std::pair<std::size_t, std::size_t>> first_rank{{6, 1},  {8, 1},  {9, 2},  {10, 2},  {12, 3},
                                                                      {15, 4}, {20, 6}, {25, 8}, {50, 18}, {100, 40}};
    for (const auto& [count, rank] : first_rank) EXPECT_EQ(samples_outside(count), rank) << count;
    EXPECT_EQ(samples_outside(5), 0u);
    EXPECT_EQ(samples_outside(1), 0u);
    EXPECT_NEAR(static_cast<double>(samples_outside(1'000'000)), 500'000 - 980, 1);
}

TEST(median_estimate, with_few_samples_and_none)
{
    EXPECT_EQ(estimate_median({}).median, 0);
    const median_estimate one = estimate_median({7});
    EXPECT_EQ(one.median, 7);
    EXPECT_EQ(one.low, 7);
    EXPECT_EQ(one.high, 7);
    const median_estimate four = estimate_median({4, 1, 3, 2});
    EXPECT_EQ(four.median, 2.5);
    EXPECT_EQ(four.low, 1);
    EXPECT_EQ(four.high, 4);
    const median_estimate ten = estimate_median({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
    EXPECT_EQ(ten.median, 5.5);
    EXPECT_EQ(ten.low, 2);
    EXPECT_EQ(ten.high, 9);
}

}  // namespace
}  // namespace launchbox::detail
