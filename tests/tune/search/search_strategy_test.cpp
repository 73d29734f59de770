// Every strategy, on spaces with holes: proposes each candidate once, then ends; and whether learning helps.
#include "tune/search/search_strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <set>

#include "support/error.hpp"

namespace launchbox {
namespace {

// A grid with `values` per parameter, of which some points are missing. The last parameter is an enumerator.
search_space make_space(const std::vector<int>& values, double part_missing, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<tuning_parameter> parameters;
    for (std::size_t p = 0; p < values.size(); ++p) {
        parameters.push_back({.name = "p" + std::to_string(p), .values = {}});
        for (int v = 0; v < values[p]; ++v)
            if (p + 1 == values.size())
                parameters[p].values.emplace_back("word" + std::to_string(v));
            else
                parameters[p].values.emplace_back(std::int64_t{1} << v);
    }
    std::vector<assignment> candidates;
    std::vector<int> point(values.size());
    for (bool more = true; more;) {
        if (static_cast<double>(random() % 1000) >= 1000 * part_missing || candidates.empty()) {
            assignment& made = candidates.emplace_back();
            for (std::size_t p = 0; p < values.size(); ++p)
                made.values.emplace_back(parameters[p].name, parameters[p].values[static_cast<std::size_t>(point[p])]);
        }
        more = false;
        for (std::size_t p = values.size(); p-- > 0 && !more;)
            if (++point[p] < values[p])
                more = true;
            else
                point[p] = 0;
    }
    return {parameters, candidates};
}

// Smooth, with interactions and a cliff; candidates on one side of a plane fail.
std::optional<double> cost_of(const search_space& space, std::size_t candidate)
{
    const std::vector<std::uint32_t> at = space.coordinates(candidate);
    double cost = 1, sum = 0;
    for (std::size_t p = 0; p < at.size(); ++p) {
        const double last = std::max<double>(1, static_cast<double>(space.values_of(p).size()) - 1);
        const double place = at[p] / last, away = place - 0.3 - 0.1 * static_cast<double>(p % 4);
        cost *= 1 + 3 * away * away;
        sum += place;
    }
    if (at[0] % 2 == 1 && at.back() > 0) cost *= 1.5;
    if (sum > 0.8 * static_cast<double>(at.size())) return std::nullopt;
    return cost;
}

std::vector<std::size_t> all_proposals(const search_space& space, search_strategy& strategy, std::size_t open,
                                       const std::function<std::optional<double>(std::size_t)>& cost,
                                       std::size_t most = std::numeric_limits<std::size_t>::max())
{
    std::vector<std::size_t> proposals;
    std::deque<std::size_t> waiting;
    while (proposals.size() <= space.size() && proposals.size() < most) {
        const auto candidate = strategy.ask();
        if (candidate) {
            proposals.push_back(*candidate);
            waiting.push_back(*candidate);
        }
        while (!waiting.empty() && (waiting.size() >= open || !candidate)) {
            // The answers come in another order than the proposals.
            const std::size_t next = waiting.size() / 2;
            const std::size_t answered = waiting[next];
            waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
            strategy.tell(answered, cost(answered));
        }
        if (!candidate) break;
    }
    return proposals;
}

class strategy : public testing::TestWithParam<std::string> {
protected:
    static std::unique_ptr<search_strategy> make(const search_space& space, const strategy_options& options = {})
    {
        return make_strategy(GetParam(), space, options);
    }
};

void expect_each_once(std::vector<std::size_t> proposals, std::size_t size)
{
    ASSERT_EQ(proposals.size(), size);
    std::sort(proposals.begin(), proposals.end());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(proposals[i], i);
}

TEST_P(strategy, proposes_each_candidate_once_and_then_ends)
{
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<int> values;
        for (int p = 0; p < 2 + static_cast<int>(seed % 4); ++p) values.push_back(1 + static_cast<int>(random() % 5));
        const search_space space = make_space(values, 0.3, seed);
        for (const std::size_t open : {1u, 16u}) {
            const auto search = make(space, {.seed = seed});
            expect_each_once(
                all_proposals(space, *search, open, [&](std::size_t candidate) { return cost_of(space, candidate); }),
                space.size());
            EXPECT_FALSE(search->ask());
        }
    }
}

TEST_P(strategy, ends_if_all_fail)
{
    const search_space space = make_space({4, 5, 3}, 0.2, 1);
    for (const std::size_t open : {1u, 16u})
        expect_each_once(all_proposals(space, *make(space), open, [](std::size_t) { return std::nullopt; }),
                         space.size());
}

TEST_P(strategy, ends_if_all_cost_the_same)
{
    const search_space space = make_space({4, 5, 3}, 0.2, 1);
    expect_each_once(all_proposals(space, *make(space), 1, [](std::size_t) { return 3.0; }), space.size());
}

TEST_P(strategy, treats_invalid_costs_as_failures)
{
    const search_space space = make_space({4, 5, 3}, 0.2, 1);
    const double bad[] = {0, -1, INFINITY, NAN, 1e300, 1e-300, 5};
    expect_each_once(all_proposals(space, *make(space), 2, [&](std::size_t candidate) { return bad[candidate % 7]; }),
                     space.size());
}

TEST_P(strategy, proposes_the_only_candidate)
{
    const search_space space = make_space({1, 1}, 0, 1);
    const auto search = make(space);
    EXPECT_EQ(search->ask(), 0u);
    EXPECT_FALSE(search->ask());
    search->tell(0, 1.0);
    EXPECT_FALSE(search->ask());
}

TEST_P(strategy, an_empty_space_ends_at_once)
{
    const search_space space({{.name = "p", .values = {std::int64_t{1}}}}, std::vector<assignment>{});
    EXPECT_FALSE(make(space)->ask());
}

TEST_P(strategy, repeats_itself_with_the_same_seed)
{
    const search_space space = make_space({6, 6, 4, 3}, 0.2, 3);
    const auto run = [&](std::uint64_t seed, std::size_t open) {
        return all_proposals(
            space, *make(space, {.seed = seed}), open, [&](std::size_t candidate) { return cost_of(space, candidate); },
            80);
    };
    for (const std::size_t open : {1u, 8u}) EXPECT_EQ(run(5, open), run(5, open));
    EXPECT_EQ(run(5, 1) == run(6, 1), GetParam() == "exhaustive");
}

TEST_P(strategy, begins_with_the_given_candidates)
{
    const search_space space = make_space({5, 4, 3}, 0.1, 2);
    const auto search = make(space, {.seed = 2, .first = {17, 3, 17, space.size(), 5}});
    const auto proposals =
        all_proposals(space, *search, 1, [&](std::size_t candidate) { return cost_of(space, candidate); });
    ASSERT_GE(proposals.size(), 3u);
    EXPECT_EQ(std::vector<std::size_t>(proposals.begin(), proposals.begin() + 3), (std::vector<std::size_t>{17, 3, 5}));
    expect_each_once(proposals, space.size());
}

// Results that were never proposed: those of an earlier run in the store.
TEST_P(strategy, accepts_results_it_did_not_ask_for)
{
    const search_space space = make_space({5, 4, 3}, 0.1, 2);
    const auto search = make(space);
    search->tell(space.size() + 7, 1.0);
    const auto asked = search->ask();
    ASSERT_TRUE(asked);
    search->tell(*asked, 2.0);
    search->tell(*asked, 1.0);
    search->tell(*asked, std::nullopt);
    EXPECT_EQ(
        all_proposals(space, *search, 1, [&](std::size_t candidate) { return cost_of(space, candidate); }).size() + 1,
        space.size());
}

std::vector<std::string> names_of_strategies(bool only_adaptive)
{
    std::vector<std::string> names;
    for (const strategy_description& search_strategy : search_strategies())
        if (search_strategy.adaptive || !only_adaptive) names.emplace_back(search_strategy.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(all, strategy, testing::ValuesIn(names_of_strategies(false)),
                         [](const auto& about) { return about.param; });

std::size_t evaluations_to(double part, const std::string& name, const search_space& space, std::uint64_t seed,
                           const strategy_options& more = {})
{
    double best = INFINITY;
    for (std::size_t i = 0; i < space.size(); ++i) best = std::min(best, cost_of(space, i).value_or(INFINITY));
    strategy_options options = more;
    options.seed = seed;
    const auto search = make_strategy(name, space, options);
    for (std::size_t asked = 1;; ++asked) {
        const auto candidate = search->ask();
        if (!candidate) return space.size();
        const auto cost = cost_of(space, *candidate);
        if (cost && *cost <= best * (1 + part)) return asked;
        search->tell(*candidate, cost);
    }
}

std::size_t median_evaluations(const std::string& name, const search_space& space, const strategy_options& more = {})
{
    std::vector<std::size_t> all;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) all.push_back(evaluations_to(0.02, name, space, seed, more));
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

TEST(strategies, that_learn_beat_chance)
{
    const search_space space = make_space({8, 8, 6, 5, 4}, 0.2, 9);
    const std::size_t chance = median_evaluations("random", space);
    EXPECT_LT(2 * median_evaluations("local", space), chance);
    EXPECT_LT(2 * median_evaluations("evolution", space), chance);
    EXPECT_LT(8 * median_evaluations("model", space), chance);
    EXPECT_LT(8 * median_evaluations("auto", space), chance);
}

TEST(strategies, start_where_the_prior_is_high)
{
    const search_space space = make_space({8, 8, 6, 5, 4}, 0.2, 9);
    std::size_t questions = 0;
    const auto prior = [&](std::size_t candidate) {
        ++questions;
        return space.coordinates(candidate)[0] < 2 ? 0.9 : 0.1;
    };
    for (const std::string& name : names_of_strategies(true)) {
        std::size_t liked = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto search = make_strategy(name, space, {.seed = seed, .prior = prior});
            for (int i = 0; i < 4; ++i) liked += space.coordinates(*search->ask())[0] < 2 ? 1u : 0u;
        }
        EXPECT_GE(liked, 24u) << name;  // 10 of 40 by chance
    }
    EXPECT_LT(questions, 4u * 10 * 4 * 300);  // a few hundred per proposal at most
}

TEST(strategies, avoid_failures)
{
    const search_space space = make_space({8, 8, 6, 5}, 0, 9);
    const auto cost = [&](std::size_t candidate) -> std::optional<double> {
        if (space.coordinates(candidate)[1] >= 4) return std::nullopt;  // half of all
        return 1 + static_cast<double>(space.coordinates(candidate)[0]);
    };
    for (const std::string& name : names_of_strategies(true)) {
        std::size_t failed = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto search = make_strategy(name, space, {.seed = seed});
            for (int i = 0; i < 60; ++i) {
                const std::size_t candidate = *search->ask();
                const auto answer = cost(candidate);
                failed += answer ? 0u : 1u;
                search->tell(candidate, answer);
            }
        }
        EXPECT_LT(failed, 10u * 60 * 35 / 100) << name;  // half by chance
    }
}

// A pending proposal counts for the next one: they are not all next to each other.
TEST(strategies, spread_pending_proposals)
{
    const search_space space = make_space({8, 8, 8, 5}, 0, 9);
    for (const std::string name : {"model", "auto"}) {
        const auto search = make_strategy(name, space, {.seed = 3});
        for (int i = 0; i < 20; ++i) {
            const std::size_t candidate = *search->ask();
            search->tell(candidate, cost_of(space, candidate));
        }
        std::set<std::size_t> open;
        std::set<std::vector<std::uint32_t>> corners;
        for (int i = 0; i < 16; ++i) {
            const std::size_t candidate = *search->ask();
            EXPECT_TRUE(open.insert(candidate).second);
            std::vector<std::uint32_t> at = space.coordinates(candidate);
            for (std::uint32_t& number : at) number /= 2;
            corners.insert(at);
        }
        EXPECT_GE(corners.size(), 5u) << name;
    }
}

// Each proposal examines a bounded number of candidates, however many there are; the median of seven searches counts,
// since a single one depends on its seed.
TEST(strategies, handle_a_million_candidates_exhaustive)
{
    const search_space space = make_space({10, 10, 10, 10, 10, 10}, 0, 1);
    ASSERT_EQ(space.size(), 1'000'000u);
    for (const std::string& name : names_of_strategies(true)) {
        std::vector<double> found;
        for (std::uint64_t seed = 1; seed <= 7; ++seed) {
            std::size_t looked_at = 0;
            const auto prior = [&](std::size_t) {
                ++looked_at;
                return 0.5;
            };
            const auto search = make_strategy(name, space, {.seed = seed, .prior = prior});
            double best = INFINITY;
            for (int i = 0; i < 60; ++i) {
                const std::size_t candidate = *search->ask();
                const auto cost = cost_of(space, candidate);
                if (cost) best = std::min(best, *cost);
                search->tell(candidate, cost);
            }
            EXPECT_LT(looked_at, 60u * 300) << name << ", seed " << seed;
            found.push_back(best);
        }
        std::ranges::sort(found);
        EXPECT_LT(found[3], name == "model" || name == "auto" ? 1.2 : 10)
            << name << ": " << testing::PrintToString(found);
    }
}

TEST(strategies, an_unknown_name_lists_the_known_ones)
{
    const search_space space = make_space({2, 2}, 0, 1);
    try {
        make_strategy("clever", space, {});
        FAIL();
    } catch (const error& failure) {
        EXPECT_NE(std::string(failure.what()).find("'clever'"), std::string::npos);
        for (const strategy_description& search_strategy : search_strategies())
            EXPECT_NE(failure.hint().find(search_strategy.name), std::string::npos);
    }
}

}  // namespace
}  // namespace launchbox
