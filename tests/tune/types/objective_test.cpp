// The objective of a run: parsed, weighted, with conditions; and the Pareto front, compared with its definition.
#include "tune/types/objective.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/error.hpp"

namespace launchbox {
namespace {

measurement measured(double ms, const std::vector<std::pair<std::string, double>>& others)
{
    measurement made{.samples_ns = {ms * 1e6}};
    for (const auto& [name, value] : others) made.quantities.push_back({name, {value}});
    return made;
}

TEST(objective, equal_objectives_have_one_text)
{
    EXPECT_EQ(objective().text(), "time");
    EXPECT_TRUE(objective("time").is_plain());
    EXPECT_EQ(objective(" time ,energy*1").text(), "time, energy");
    EXPECT_EQ(objective("energy*3").text(), "energy");
    EXPECT_EQ(objective("min time*2, max  p99").text(), "time*2, max p99");
    EXPECT_EQ(objective("time where power<= 500 and energy < 1").text(), "time where power<= 500 and energy < 1");
    EXPECT_EQ(objective("time, energy where power <= 500").wanted(), "time, energy");
    for (const char* text : {"time, energy*2.5, max p99 where p95 < 3 and time < 2", "power", "max a"})
        EXPECT_EQ(objective(objective(text).text()).text(), text);
}

TEST(objective, lists_the_quantities_it_needs)
{
    EXPECT_EQ(objective("time").quantities(), std::vector<std::string>());
    EXPECT_EQ(objective("time, p99 where power <= 500 and p99 < 3").quantities(),
              (std::vector<std::string>{"p99", "power"}));
    EXPECT_TRUE(objective("time where power <= 500").is_time());
    EXPECT_TRUE(objective("time where power <= 500").needs_energy());
    EXPECT_FALSE(objective("time where power <= 500").is_plain());
    EXPECT_TRUE(objective("energy, time").is_bounded_by_idle_power());
    EXPECT_FALSE(objective("energy, power").is_bounded_by_idle_power());
    EXPECT_FALSE(objective("time where energy < 1").is_bounded_by_idle_power());
}

TEST(objective, invalid_objectives_are_refused_in_one_line)
{
    for (const char* text : {"",
                             ",",
                             "time,",
                             "time,time",
                             "energy*0",
                             "energy*-1",
                             "energy*",
                             "energy*1e9",
                             "energy*nan",
                             "max time",
                             "max energy",
                             "a b",
                             "2",
                             "gflop/s",
                             "time where",
                             "time where ",
                             "time where power <=",
                             "energy where sm.x > 1",
                             "a,b,c,d,e,f,g,h,i",
                             "time where f(1)",
                             "t\xc3\xa4x",
                             "time\nenergy"})
        try {
            const objective made{text};
            ADD_FAILURE() << text << " is " << made.text();
        } catch (const error& failure) {
            EXPECT_EQ(std::string(failure.what()).find('\n'), std::string::npos) << failure.what();
        }
    EXPECT_THROW(objective(std::string(1001, 'a')), error);
}

TEST(objective, the_cost_is_the_weighted_geometric_mean_in_any_units)
{
    const measurement a = measured(2, {{"energy", 8}, {"p99", 5}}), b = measured(3, {{"energy", 4}, {"p99", 10}});
    EXPECT_DOUBLE_EQ(objective("time").cost(a)->median, 2e6);
    EXPECT_DOUBLE_EQ(objective("energy").cost(a)->median, 8);
    EXPECT_DOUBLE_EQ(objective("time, energy").cost(a)->median, 4);
    EXPECT_DOUBLE_EQ(objective("time*3, energy").cost(a)->median, std::pow(8. * 8, 0.25));
    EXPECT_DOUBLE_EQ(objective("max p99").cost(b)->median, 0.1);
    EXPECT_DOUBLE_EQ(objective("time, max p99").cost(b)->median, std::sqrt(0.3));
    EXPECT_FALSE(objective("time, nobody").cost(a));
    measurement spread = a;
    spread.quantities[0].samples = {7, 8, 9};
    const std::optional<sample_summary> cost = objective("max energy2, energy").cost(spread);
    EXPECT_FALSE(cost);
    EXPECT_DOUBLE_EQ(objective("energy").cost(spread)->low, 7);
    EXPECT_DOUBLE_EQ(objective("energy").cost(spread)->high, 9);
}

TEST(objective, a_condition_is_on_medians_and_fails_if_unknown)
{
    const objective goal("time where power <= 500 and time < 2.5");
    EXPECT_TRUE(goal.allows(measured(2, {{"power", 500}})));
    EXPECT_FALSE(goal.allows(measured(2, {{"power", 501}})));
    EXPECT_FALSE(goal.allows(measured(3, {{"power", 100}})));
    EXPECT_FALSE(goal.allows(measured(2, {})));
    EXPECT_FALSE(goal.cost_if_allowed(measured(2, {{"power", 501}})));
    measurement failed = measured(2, {{"power", 100}});
    failed.status = outcome::wrong_result;
    EXPECT_FALSE(goal.cost_if_allowed(failed));
}

TEST(pareto_front, agrees_with_the_definition)
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const objective goal(round % 2 == 0 ? "time, energy" : "time, energy*4, max p99");
        std::vector<measurement> all;
        for (std::size_t i = 0, count = random() % 40; i < count; ++i) {
            // Few different values, so that many are equal; some are unknown.
            const auto value = [&] { return 1.0 + static_cast<double>(random() % 6); };
            all.push_back(measured(value(), {{"energy", value()}}));
            if (random() % 8 != 0) all.back().quantities.push_back({"p99", {value()}});
            if (random() % 8 == 0) all.back().quantities.erase(all.back().quantities.begin());
        }
        std::vector<const measurement*> given;
        for (const measurement& each : all) given.push_back(&each);
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto good = [&](std::size_t of, std::size_t term) -> std::optional<double> {
                const std::optional<sample_summary> known = quantity_of(all[of], goal.terms()[term].name);
                if (!known) return std::nullopt;
                return goal.terms()[term].largest ? -known->median : known->median;
            };
            const auto is_known = [&](std::size_t of) {
                for (std::size_t term = 0; term < goal.terms().size(); ++term)
                    if (!good(of, term)) return false;
                return true;
            };
            bool on_front = is_known(i);
            for (std::size_t j = 0; j < all.size() && on_front; ++j) {
                if (!is_known(j)) continue;
                bool no_worse = true, better = false;
                for (std::size_t term = 0; term < goal.terms().size(); ++term) {
                    no_worse &= *good(j, term) <= *good(i, term);
                    better |= *good(j, term) < *good(i, term);
                }
                on_front = !(no_worse && better);
            }
            if (on_front) expected.push_back(i);
        }
        EXPECT_EQ(pareto_front(given, goal), expected) << round;
    }
}

}  // namespace
}  // namespace launchbox
