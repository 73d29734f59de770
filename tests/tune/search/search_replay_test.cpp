// Replay of recorded spaces: figures by hand, and calculated chance against simulated chance.
#include "tune/search/search_replay.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace launchbox {
namespace {

stored_result made(std::int64_t threads, outcome what, double ns, double compile, double run)
{
    stored_result result;
    result.parameters.values = {{"threads", threads}, {"constant", std::int64_t{7}}};
    result.measured.status = what;
    if (what == outcome::measured) result.measured.samples_ns = {ns * 5, ns, ns / 2};
    result.measured.seconds = run;
    result.compile_seconds = compile;
    return result;
}

// A search, and the figures of searches, computed as in bench-search.
score_span span_of(const replay_workload& replay, std::size_t max_evaluations)
{
    return score_span_of(replay, evaluations_of_chance(replay), max_evaluations);
}
search_course searched(const replay_workload& replay, search_strategy& strategy, std::size_t max_evaluations)
{
    return replay_search(replay, strategy, max_evaluations, span_of(replay, max_evaluations));
}
replay_figures figures(const replay_workload& replay, const std::vector<search_course>& courses,
                       std::size_t max_evaluations)
{
    return figures_of(replay, courses, max_evaluations, span_of(replay, max_evaluations));
}

recorded_run example()
{
    recorded_run run;
    run.results = {made(32, outcome::measured, 400, 2, 1),  made(64, outcome::measured, 100, 2, 1),
                   made(128, outcome::measured, 104, 2, 1), made(256, outcome::hang, 0, 2, 10),
                   made(512, outcome::rejected, 0, 50, 50), made(1024, outcome::measured, 200, 2, 0),
                   made(96, outcome::measured, 200, 2, 1)};
    run.results[5].measured.samples_ns = {2e8, 2e8, 3e8};  // 0.7 s, without a recorded sum
    run.results[6].same_as = assignment{{{"threads", std::int64_t{128}}}};
    return run;
}

// Proposes a given list.
class script : public search_strategy {
public:
    script(const search_space& space, std::vector<std::int64_t> order) : space_(space), order_(std::move(order)) {}
    std::optional<std::size_t> ask() override
    {
        if (next_ == order_.size()) return std::nullopt;
        return space_.find({{{"threads", order_[next_++]}}});
    }
    void tell(std::size_t, std::optional<double> cost) override { told.push_back(cost); }
    std::vector<std::optional<double>> told;

private:
    const search_space& space_;
    std::vector<std::int64_t> order_;
    std::size_t next_ = 0;
};

TEST(search_replay, knows_the_results_and_costs_of_a_record)
{
    const std::vector<replay_workload> replays = replay_workloads(example());
    ASSERT_EQ(replays.size(), 1u);
    const replay_workload& replay = replays[0];
    EXPECT_EQ(replay.space.parameters(), 1u);  // the constant is left out
    EXPECT_EQ(replay.space.size(), 7u);
    EXPECT_EQ(replay.evaluable, 6u);
    EXPECT_EQ(replay.costs, (std::vector<double>{100, 104, 200, 400, 2e8}));
    EXPECT_EQ(replay.best(), 100);
    EXPECT_EQ(replay.median(), 200);
    const auto seconds = [&](std::int64_t threads) {
        return replay.answers[*replay.space.find({{{"threads", threads}}})].seconds;
    };
    EXPECT_EQ(seconds(32), 3);
    EXPECT_EQ(seconds(256), 12);
    EXPECT_EQ(seconds(512), 0);
    EXPECT_DOUBLE_EQ(seconds(1024), 2.7);
    EXPECT_EQ(seconds(96), 2);
    EXPECT_DOUBLE_EQ(replay.mean_seconds, (3 + 3 + 3 + 12 + 2.7 + 2) / 6);
}

TEST(search_replay, charges_the_costs_of_a_search)
{
    const replay_workload replay = replay_workloads(example())[0];
    script search(replay.space, {512, 256, 32, 96, 128, 64, 1024});
    const search_course course = searched(replay, search, 100);
    EXPECT_EQ(search.told, (std::vector<std::optional<double>>{std::nullopt, std::nullopt, 400, 200, 104, 100}));
    ASSERT_EQ(course.steps.size(), 4u);
    const auto expect = [&](std::size_t step, std::size_t evaluations, double seconds, double best) {
        EXPECT_EQ(course.steps[step].evaluations, evaluations);
        EXPECT_EQ(course.steps[step].seconds, seconds);
        EXPECT_EQ(course.steps[step].best, best);
    };
    expect(0, 2, 15, 400);  // the rejected one cost nothing, the hang cost its time
    expect(1, 3, 17, 200);
    expect(2, 4, 20, 104);
    expect(3, 5, 23, 100);
    EXPECT_EQ(course.within(0.05, 100), &course.steps[2]);
    EXPECT_EQ(course.within(0.01, 100), &course.steps[3]);
    EXPECT_EQ(search_course{}.within(0.1, 100), nullptr);
    script again(replay.space, {32, 96, 128, 64});
    // Two evaluations take 8.6 s on average. These take 5 s, and the search continues until 8.6 s are over.
    const search_course beyond = searched(replay, again, 2);
    ASSERT_EQ(beyond.steps.size(), 4u);
    EXPECT_EQ(beyond.steps[3].seconds, 11);
    EXPECT_EQ(figures(replay, {beyond}, 2).evaluations[1].median, std::nullopt);  // it was the third
    EXPECT_EQ(figures(replay, {beyond}, 3).evaluations[1].median, 3);
}

TEST(search_replay, figures_equal_those_by_hand)
{
    const replay_workload replay = replay_workloads(example())[0];
    const auto course = [&](std::vector<std::int64_t> order) {
        script search(replay.space, std::move(order));
        return searched(replay, search, 100);
    };
    // Within 5 % after 1, 2, 3 evaluations and never; within 1 % after 2 and 4.
    const std::vector<search_course> courses{course({128, 64}), course({32, 128}), course({32, 96, 128, 64}),
                                             course({32, 96})};
    const replay_figures figures = launchbox::figures(replay, courses, 100);
    EXPECT_EQ(figures.evaluations[1].median, 2);
    EXPECT_EQ(figures.seconds[1].median, 6);
    EXPECT_EQ(figures.evaluations[1].p90, std::nullopt);
    EXPECT_EQ(figures.evaluations[2].median, 4);
    EXPECT_EQ(figures.evaluations[2].p90, std::nullopt);
}

replay_workload random_workload(std::size_t candidates, std::size_t failing, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    recorded_run run;
    for (std::size_t i = 0; i < candidates; ++i)
        run.results.push_back(made(static_cast<std::int64_t>(i),
                                   i < failing ? outcome::launch_error : outcome::measured,
                                   100 + static_cast<double>(random() % 1000), 1, 1));
    return replay_workloads(run)[0];
}

TEST(search_replay, calculated_chance_equals_simulated_chance)
{
    const replay_workload replay = random_workload(60, 20, 4);
    const std::vector<double> expected = expected_of_chance(replay, 1000);
    ASSERT_EQ(expected.size(), 61u);
    EXPECT_EQ(expected[0], replay.median());
    EXPECT_NEAR(expected[60], replay.best(), 1e-9);
    constexpr std::size_t searches = 4000;
    std::vector<std::vector<double>> found(61);
    std::vector<search_course> courses;
    for (std::uint64_t seed = 1; seed <= searches; ++seed) {
        const auto search = make_strategy("random", replay.space, {.seed = seed});
        courses.push_back(searched(replay, *search, 1000));
        for (std::size_t k = 0; k <= 60; ++k) {
            double best = replay.median();
            for (const search_course::step& step : courses.back().steps)
                if (step.evaluations <= k) best = std::min(best, step.best);
            found[k].push_back(best);
        }
    }
    for (const std::size_t k : {1u, 2u, 5u, 10u, 20u, 40u, 59u}) {
        const double mean = std::accumulate(found[k].begin(), found[k].end(), 0.0) / searches;
        double squares = 0;
        for (const double value : found[k]) squares += (value - mean) * (value - mean);
        const double error_of_mean = std::sqrt(squares / searches / searches);
        EXPECT_NEAR(mean, expected[k], 4 * error_of_mean + 1e-9) << k;
    }
    // A random search scores like chance.
    EXPECT_NEAR(figures(replay, courses, 1000).score, 0, 0.05);
}

// However few evaluations a search may have, and however short or different their times are.
TEST(search_replay, random_search_scores_zero_wherever_the_searches_end)
{
    for (const double unevenness : {0.0, 0.9}) {
        replay_workload replay = random_workload(300, 60, 7);
        std::mt19937_64 random(1);
        replay.mean_seconds = 0;
        for (replay_answer& answer : replay.answers) {
            answer.seconds = 2 * (1 + unevenness * (static_cast<double>(random() % 3) - 1));
            replay.mean_seconds += answer.seconds / static_cast<double>(replay.answers.size());
        }
        ASSERT_GT(evaluations_of_chance(replay), 12u);
        for (const std::size_t max_evaluations : {1u, 3u, 12u, 1000u}) {
            std::vector<search_course> courses;
            for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
                const auto search = make_strategy("random", replay.space, {.seed = seed});
                courses.push_back(searched(replay, *search, max_evaluations));
            }
            EXPECT_NEAR(figures(replay, courses, max_evaluations).score, 0, unevenness == 0 ? 0.02 : 0.15)
                << max_evaluations << " " << unevenness;
        }
    }
}

TEST(search_replay, chance_reaches_a_value_when_its_expectation_does)
{
    const replay_workload replay = random_workload(200, 0, 5);
    const std::size_t there = evaluations_of_chance(replay);
    const std::vector<double> expected = expected_of_chance(replay, there);
    const double goal = replay.median() - 0.95 * (replay.median() - replay.best());
    EXPECT_LE(expected[there], goal * (1 + 1e-9));
    EXPECT_GT(expected[there - 1], goal);
}

TEST(search_replay, finding_the_optimum_first_scores_one)
{
    const replay_workload replay = random_workload(100, 10, 6);
    std::size_t best = 0;
    for (std::size_t i = 0; i < replay.answers.size(); ++i)
        if (replay.answers[i].cost == replay.best()) best = i;
    const search_course course{{{0, 0, replay.best()}}};
    EXPECT_DOUBLE_EQ(figures(replay, {course}, 1000).score, 1);
    const auto search = make_strategy("exhaustive", replay.space, {.first = {best}});
    EXPECT_EQ(searched(replay, *search, 10).steps.size(), 1u);
    // Finding nothing is worse than chance.
    EXPECT_LT(figures(replay, {search_course{}}, 1000).score, -1);
}

TEST(search_replay, every_workload_is_replayed_separately)
{
    recorded_run run = example();
    for (stored_result result : example().results) {
        result.workload.values = {{"n", std::int64_t{5}}};
        run.results.push_back(result);
    }
    stored_result lost = made(2048, outcome::device_lost, 0, 0, 0);
    run.results.push_back(lost);
    for (int i = 0; i < 3; ++i) {
        stored_result failed = made(32 << i, outcome::trap, 0, 0, 0);
        failed.workload.values = {{"n", std::int64_t{6}}};
        run.results.push_back(failed);
    }
    const auto replays = replay_workloads(run);
    ASSERT_EQ(replays.size(), 2u);  // on the third nothing was measured
    EXPECT_TRUE(replays[0].workload.values.empty());
    EXPECT_EQ(replays[0].answers.size(), 7u);
    EXPECT_EQ(parameter_text(replays[1].workload), "n=5");
    EXPECT_TRUE(replay_workloads({}).empty());
}

TEST(search_replay, later_results_count_and_one_candidate_is_enough)
{
    recorded_run run;
    run.results = {made(32, outcome::trap, 0, 1, 1), made(32, outcome::measured, 10, 1, 1)};
    const auto replays = replay_workloads(run);
    ASSERT_EQ(replays.size(), 1u);
    EXPECT_EQ(replays[0].answers.size(), 1u);
    EXPECT_EQ(replays[0].costs, std::vector<double>{10});
    const auto search = make_strategy("auto", replays[0].space, {});
    const std::vector<search_course> courses{searched(replays[0], *search, 10)};
    EXPECT_EQ(figures(replays[0], courses, 10).evaluations[2].median, 1);
}

}  // namespace
}  // namespace launchbox
