#include "tune/run/final_race.hpp"

#include <gtest/gtest.h>

#include <random>

namespace launchbox {
namespace {

using samples = std::vector<double>;

// Times around a true one, with relative noise of `spread`.
class noisy_clock {
public:
    noisy_clock(std::vector<double> truth, double spread, unsigned seed)
        : truth_(std::move(truth)), spread_(spread), random_(seed)
    {
    }
    double operator()(std::size_t i)
    {
        ++asked_;
        return truth_[i] * (1 + std::normal_distribution<double>(0, spread_)(random_));
    }
    [[nodiscard]] int asked() const { return asked_; }

private:
    std::vector<double> truth_;
    double spread_;
    std::mt19937 random_;
    int asked_ = 0;
};

TEST(final_race, candidates_within_noise_or_margin_of_the_best_take_part_the_best_first)
{
    const samples wide{90, 95, 100, 105, 110, 115, 120}, best{100, 100, 100, 100, 100, 100},
        near{101, 101, 101, 101, 101, 101}, far{110, 110, 110, 110, 110, 110};
    const auto contestants = [](const std::vector<samples>& all, const race_rules& rules) {
        const assignment none;
        std::vector<tied_candidate> times;
        for (const samples& one : all) times.push_back({.time = summarise(one), .parameters = &none});
        return race_contestants(times, rules);
    };
    EXPECT_EQ(contestants({far, wide, {}, near, best}, {}), (std::vector<std::size_t>{4, 3, 1}));
    EXPECT_TRUE(contestants({{}, {}}, {}).empty());
    EXPECT_EQ(contestants({best, near, near, near}, {.max_contestants = 2}).size(), 2u);
}

TEST(final_race, the_faster_wins_if_noise_permits_a_decision)
{
    noisy_clock clock({100, 98, 103}, 0.002, 7);
    const race_outcome result = run_final_race(3, {}, 1, [&](std::size_t, std::size_t i) { return clock(i); });
    EXPECT_EQ(result.order, (std::vector<std::size_t>{1, 0, 2}));
    EXPECT_FALSE(result.equal);
}

TEST(final_race, inseparable_candidates_are_equal)
{
    noisy_clock clock({100, 100, 100.1}, 0.01, 3);
    const race_outcome result = run_final_race(3, {}, 1, [&](std::size_t, std::size_t i) { return clock(i); });
    EXPECT_TRUE(result.equal);
    EXPECT_GT(result.equal_within, 0);
    EXPECT_LT(result.equal_within, 0.05);
    EXPECT_EQ(clock.asked(), 3 * race_rules{}.max_rounds);
}

TEST(final_race, a_slower_candidate_is_dropped_and_equal_ones_stay)
{
    noisy_clock clock({100, 100, 120}, 0.001, 3);
    const race_outcome result = run_final_race(3, {}, 1, [&](std::size_t, std::size_t i) { return clock(i); });
    EXPECT_TRUE(result.equal);
    EXPECT_EQ(result.order.back(), 2u);
}

TEST(final_race, it_ends_early_if_all_that_are_left_are_close_enough)
{
    noisy_clock clock({100, 100}, 0.0001, 5);
    const race_outcome result = run_final_race(2, {}, 1, [&](std::size_t, std::size_t i) { return clock(i); });
    EXPECT_TRUE(result.equal);
    EXPECT_LE(result.equal_within, 0.005);
    EXPECT_EQ(clock.asked(), 2 * race_rules{}.fewest_rounds);
}

TEST(final_race, a_failing_candidate_is_dropped_and_the_others_continue)
{
    noisy_clock clock({100, 90, 100.0}, 0.0001, 5);
    int left = 3;
    const race_outcome result = run_final_race(3, {}, 1, [&](std::size_t, std::size_t i) -> std::optional<double> {
        if (i == 1 && left-- == 0) return std::nullopt;
        return clock(i);
    });
    EXPECT_EQ(result.order.back(), 1u);
    EXPECT_EQ(result.order.size(), 3u);
    EXPECT_EQ(result.rounds_ns[1].size(), 3u);
}

TEST(final_race, all_fail_or_only_one_takes_part)
{
    const race_outcome none = run_final_race(2, {}, 1, [](std::size_t, std::size_t) { return std::nullopt; });
    EXPECT_EQ(none.order.size(), 2u);
    EXPECT_FALSE(none.equal);
    const race_outcome one = run_final_race(1, {}, 1, [](std::size_t, std::size_t) { return std::optional(1.0); });
    EXPECT_EQ(one.order, (std::vector<std::size_t>{0}));
    EXPECT_TRUE(one.rounds_ns.front().empty());
}

// Two GPUs of one model, of which the second is 3 % slower: a larger difference than between the contestants.
TEST(final_race, rounds_on_two_devices_compare_within_each)
{
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::vector<noisy_clock> clocks{{{100, 99, 101}, 0.001, seed}, {{103, 101.97, 104.03}, 0.001, seed + 1000}};
        const race_outcome result =
            run_final_race(3, {}, 2, [&](std::size_t device, std::size_t i) { return clocks[device](i); });
        EXPECT_EQ(result.order, (std::vector<std::size_t>{1, 0, 2})) << seed;
        EXPECT_FALSE(result.equal) << seed;
        EXPECT_EQ(clocks[0].asked(), clocks[1].asked());
        for (const double ns : result.rounds_ns[1]) EXPECT_NEAR(ns, 99, 1) << "as on the first";
    }
}

// Of 1,000 races between a candidate and one that is 1 % slower, with noise of 1 %, only a few may choose wrongly.
TEST(final_race, over_many_races_the_slower_hardly_ever_wins)
{
    int wrong = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        noisy_clock clock({101, 100}, 0.01, seed);
        const race_outcome result = run_final_race(2, {}, 1, [&](std::size_t, std::size_t i) { return clock(i); });
        wrong += !result.equal && result.order.front() == 0 ? 1 : 0;
    }
    EXPECT_LE(wrong, 10);
    wrong = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        std::vector<noisy_clock> clocks{{{101, 100}, 0.01, seed}, {{103, 102}, 0.01, seed + 1000}};
        const race_outcome result =
            run_final_race(2, {}, 2, [&](std::size_t device, std::size_t i) { return clocks[device](i); });
        wrong += !result.equal && result.order.front() == 0 ? 1 : 0;
    }
    EXPECT_LE(wrong, 10) << "on two devices";
}

}  // namespace
}  // namespace launchbox
