// Ranking by other objectives than the time.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "recorded_results.hpp"
#include "tune/ranking/overall_score.hpp"
#include "tune/ranking/ranking.hpp"

namespace launchbox {
namespace {

// Candidates of one workload: milliseconds, joules and watts; 0: unknown. The first is the baseline.
recorded_run run_of(const std::vector<std::array<double, 3>>& figures, const std::string& goal)
{
    recorded_run run;
    run.info = example_run();
    run.info.objective = goal;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const auto [ms, joules, watts] = figures[i];
        stored_result result = example_result(32 * (std::int64_t(i) + 1), 1, 1 << 20, ms * 1e6);
        if (joules > 0) result.measured.quantities.push_back({"energy", samples_around(joules, 5)});
        if (watts > 0) result.measured.quantities.push_back({"power", samples_around(watts, 5)});
        run.results.push_back(result);
    }
    run.info.baseline = run.results.front().parameters;
    return run;
}

std::size_t winner_of(const recorded_run& run)
{
    const ranking workload = rank(run).front();
    return workload.candidates.at(workload.decided.value().winner).result;
}

const std::vector<std::array<double, 3>> figures{{2.0, 1.0, 500}, {1.0, 0.7, 700},  {1.1, 0.6, 545},
                                                 {1.5, 0.5, 333}, {1.6, 0.55, 344}, {0.9, 0, 0}};

TEST(objective_ranking, the_lowest_cost_wins)
{
    EXPECT_EQ(winner_of(run_of(figures, "time")), 5u);
    EXPECT_EQ(winner_of(run_of(figures, "energy")), 3u);
    EXPECT_EQ(winner_of(run_of(figures, "power")), 3u);
    EXPECT_EQ(winner_of(run_of(figures, "max power")), 1u);
    EXPECT_EQ(winner_of(run_of(figures, "time, energy")), 2u);  // 0.66 against 0.7 and 0.75
    EXPECT_EQ(winner_of(run_of(figures, "time*4, energy")), 1u);
    EXPECT_EQ(winner_of(run_of(figures, "time where power <= 600")), 2u);
    EXPECT_EQ(winner_of(run_of(figures, "time where power <= 600 and energy < 0.6 ")), 3u);
}

TEST(objective_ranking, gains_are_in_cost_and_times_stay_times)
{
    const recorded_run run = run_of(figures, "energy");
    const ranking workload = rank(run).front();
    const ranked_candidate& best = workload.candidates.front();
    EXPECT_EQ(best.result, 3u);
    EXPECT_NEAR(best.over_baseline.value().times, 2, 0.01);
    EXPECT_NEAR(best.time.median, 1.5e6, 1e3);
    EXPECT_NEAR(best.cost.value().median, 0.5, 1e-3);
    EXPECT_EQ(workload.goal.text(), "energy");
}

TEST(objective_ranking, a_candidate_without_a_quantity_is_last_and_cannot_win)
{
    const ranking workload = rank(run_of(figures, "energy")).front();
    EXPECT_EQ(workload.candidates.back().result, 5u);
    EXPECT_FALSE(workload.candidates.back().may_win);
    EXPECT_FALSE(workload.candidates.back().cost);
    EXPECT_FALSE(workload.candidates.back().over_baseline);
    EXPECT_FALSE(rank(run_of(figures, "nobody")).front().decided);
    // A baseline without its energy cannot be compared with.
    std::vector<std::array<double, 3>> without = figures;
    without[0] = {2, 0, 0};
    const ranking compared = rank(run_of(without, "energy")).front();
    EXPECT_FALSE(compared.baseline);
    EXPECT_FALSE(compared.candidates.front().over_baseline);
    EXPECT_TRUE(compared.decided);
}

TEST(objective_ranking, a_candidate_that_is_not_allowed_cannot_win_and_is_marked)
{
    const ranking workload = rank(run_of(figures, "energy where power > 400")).front();
    for (const ranked_candidate& candidate : workload.candidates) {
        const double watts = figures[candidate.result][2];
        EXPECT_EQ(candidate.allowed, watts > 400) << watts;
        EXPECT_EQ(candidate.may_win, watts > 400) << watts;
    }
    EXPECT_FALSE(rank(run_of(figures, "energy where power > 4000")).front().decided);
}

TEST(objective_ranking, the_front_is_marked_among_candidates_that_may_win)
{
    recorded_run run = run_of(figures, "time, energy");
    run.results[2].measured.stopped_early = true;
    const ranking workload = rank(run).front();
    for (const ranked_candidate& candidate : workload.candidates)
        EXPECT_EQ(candidate.on_front, candidate.result == 1 || candidate.result == 3) << candidate.result;
    const ranking alone = rank(run_of(figures, "energy")).front();
    for (const ranked_candidate& candidate : alone.candidates) EXPECT_FALSE(candidate.on_front);
}

TEST(objective_ranking, a_race_only_compares_times)
{
    recorded_run run = run_of(figures, "time where power > 1");
    const auto entry = [&](std::size_t i, double ns) {
        return race_entry{.parameters = run.results[i].parameters, .samples_ns = samples_around(ns)};
    };
    run.races = {{.workload = sizes(1 << 20), .entries = {entry(2, 1e6), entry(1, 1.1e6)}, .verdict = "winner"}};
    EXPECT_EQ(winner_of(run), 2u);
    EXPECT_TRUE(rank(run).front().decided->raced);
    run.info.objective = "energy";
    EXPECT_EQ(winner_of(run), 3u);
    EXPECT_FALSE(rank(run).front().decided->raced);
    run.info.objective = "time where power < 600";  // the second is not allowed by this
    EXPECT_EQ(winner_of(run), 2u);
}

TEST(objective_ranking, several_workloads_are_weighted_by_cost)
{
    recorded_run run = run_of(figures, "energy");
    const recorded_run other =
        run_of({{2, 1, 1}, {1, 0.2, 1}, {1, 0.9, 1}, {1, 0.9, 1}, {1, 0.9, 1}, {1, 1, 1}}, "energy");
    for (stored_result result : other.results) {
        result.workload = sizes(1 << 27);
        run.results.push_back(result);
    }
    const overall_ranking overall = rank_overall(run.results, rank(run));
    ASSERT_TRUE(overall.winner);
    EXPECT_EQ(overall.candidates[*overall.winner].parameters, run.results[1].parameters);
    EXPECT_NEAR(overall.candidates[*overall.winner].score.times, std::sqrt(1 / 0.7 * 5), 0.02);
    EXPECT_EQ(overall.incomplete, 1u);
}

}  // namespace
}  // namespace launchbox
