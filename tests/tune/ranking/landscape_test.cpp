// Maps over parameters: which candidate is in which cell, what is combined, and what is refused.
#include "tune/ranking/landscape.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "recorded_results.hpp"
#include "support/error.hpp"

namespace launchbox {
namespace {

const std::int64_t small = 1 << 20, large = 1 << 27;

stored_result with(stored_result result, const std::string& name, parameter_value value)
{
    result.parameters.values.emplace_back(name, std::move(value));
    return result;
}

landscape drawn(const std::vector<recorded_run>& runs, const landscape_request& request)
{
    std::vector<landscape_source> sources;
    for (std::size_t i = 0; i < runs.size(); ++i) sources.push_back({&runs[i], std::to_string(i) + ".db"});
    return landscape_of(sources, request);
}

recorded_run run_of(std::vector<stored_result> results, const std::string& gpu = "Example GPU")
{
    recorded_run run{1, example_run(), std::move(results), {}};
    run.info.environment.gpu = gpu;
    return run;
}

const landscape_cell* cell_at(const landscape_map& map, std::size_t x, std::size_t y)
{
    for (const landscape_cell& cell : map.cells)
        if (cell.at == std::vector<std::size_t>{x, y}) return &cell;
    return nullptr;
}

const landscape_candidate& best_of(const landscape_map& map, const landscape_cell& cell)
{
    return map.sections[cell.section].candidates.at(cell.best.value());
}

std::string refusal(const std::vector<recorded_run>& runs, const landscape_request& request)
{
    try {
        drawn(runs, request);
    } catch (const error& failure) {
        return std::string(failure.what()) + " / " + failure.hint();
    }
    return {};
}

TEST(landscape, has_a_map_per_workload_with_the_winner_of_the_ranking)
{
    const landscape found = drawn({example_results()}, {.axes = {"threads", "items"}, .by = {}});
    ASSERT_EQ(found.by.size(), 1u);
    EXPECT_EQ(found.by[0].name, "n");
    ASSERT_EQ(found.maps.size(), 2u);
    const landscape_map& map = found.maps[0];
    EXPECT_TRUE(map.has_times());
    EXPECT_EQ(map.values[0].size(), 5u);  // 64, 128, 256, 512, 1024
    EXPECT_EQ(map.values[1].size(), 10u);
    // The race chose 128 x 17, whose samples are not the fastest.
    const landscape_cell* cell = cell_at(map, 1, 6);
    ASSERT_NE(cell, nullptr);
    EXPECT_TRUE(best_of(map, *cell).is_winner);
    EXPECT_EQ(best_of(map, *cell).parameters, tuning_values(128, 17));
    EXPECT_TRUE(best_of(map, *cell_at(map, 1, 5)).equals_best);
    // One that may not win, one stopped early, a failed one, and one that was never tried.
    EXPECT_FALSE(best_of(map, *cell_at(map, 0, 1)).may_win);
    EXPECT_TRUE(best_of(map, *cell_at(map, 0, 0)).stopped_early);
    const landscape_cell* failed_cell = cell_at(map, 4, 5);
    ASSERT_NE(failed_cell, nullptr);
    EXPECT_FALSE(failed_cell->best);
    EXPECT_EQ(failed_cell->why->first, outcome::compile_error);
    EXPECT_EQ(cell_at(map, 4, 0), nullptr);
}

TEST(landscape, a_cell_is_the_best_over_all_other_parameters)
{
    const recorded_run run =
        run_of({with(example_result(64, 3, small, 100), "unroll", std::int64_t(1)),
                with(example_result(64, 3, small, 90), "unroll", std::int64_t(4)),
                with(example_result(128, 3, small, 95), "unroll", std::int64_t(1)),
                with(failed(128, 3, small, outcome::hang, "too long"), "unroll", std::int64_t(4))});
    const landscape found = drawn({run}, {.axes = {"threads"}, .by = {}});
    ASSERT_EQ(found.maps.size(), 1u);
    const landscape_map& map = found.maps[0];
    ASSERT_EQ(map.cells.size(), 2u);
    EXPECT_EQ(map.cells[0].measured, 2u);
    EXPECT_EQ(std::get<std::int64_t>(*best_of(map, map.cells[0]).parameters.find("unroll")), 4);
    EXPECT_EQ(map.cells[1].candidates, 2u);
    EXPECT_EQ(map.cells[1].failures.at(outcome::hang), 1u);
    EXPECT_NEAR(best_of(map, map.cells[1]).share(), 90.0 / 95, 1e-9);
    // Divided by the third parameter, each part has its own best.
    const landscape divided = drawn({run}, {.axes = {"threads"}, .by = {{"unroll"}}});
    ASSERT_EQ(divided.maps.size(), 2u);
    EXPECT_EQ(divided.maps[1].cells[1].why->first, outcome::hang);
    EXPECT_DOUBLE_EQ(best_of(divided.maps[0], divided.maps[0].cells[1]).share(), 1);
}

TEST(landscape, over_several_workloads_it_has_the_geometric_mean_of_candidates_measured_on_all)
{
    stored_result early = example_result(64, 7, small, 400);
    early.measured.stopped_early = true;
    recorded_run run = run_of({example_result(64, 3, small, 100), example_result(64, 3, large, 1000),
                               example_result(64, 5, small, 200), example_result(64, 5, large, 500), early,
                               example_result(64, 7, large, 2000), example_result(64, 9, small, 50)});
    run.info.baseline.reset();
    const landscape found = drawn({run}, {.axes = {"items"}, .by = std::vector<std::string>()});
    ASSERT_EQ(found.maps.size(), 1u);
    const landscape_map& map = found.maps[0];
    EXPECT_FALSE(map.has_times());
    EXPECT_EQ(map.sections[0].incomplete, 1u);
    ASSERT_EQ(map.cells.size(), 4u);
    // sqrt(100 x 1000) and sqrt(200 x 500) are equal; 9 was only measured on one of the two.
    EXPECT_NEAR(best_of(map, map.cells[0]).share(), 1, 1e-9);
    EXPECT_NEAR(best_of(map, map.cells[1]).share(), 1, 1e-9);
    EXPECT_NEAR(best_of(map, map.cells[2]).share(), std::sqrt(1e5 / 8e5), 1e-9);
    EXPECT_TRUE(best_of(map, map.cells[2]).stopped_early);
    EXPECT_FALSE(map.cells[3].best);
    EXPECT_FALSE(map.cells[3].why);
}

TEST(landscape, an_axis_may_be_a_value_of_the_workload)
{
    const landscape found = drawn({example_results()}, {.axes = {"n", "items"}, .by = {}});
    ASSERT_EQ(found.maps.size(), 1u);
    const landscape_map& map = found.maps[0];
    EXPECT_EQ(map.values[0].size(), 2u);
    EXPECT_EQ(map.sections.size(), 2u);
    std::size_t winners = 0;
    for (const landscape_cell& cell : map.cells) winners += cell.best && best_of(map, cell).is_winner ? 1 : 0;
    EXPECT_EQ(winners, 2u) << "one of each workload";
}

TEST(landscape, records_of_several_gpus_are_divided_by_them)
{
    const recorded_run here = run_of({example_result(64, 3, small, 100), example_result(128, 3, small, 110)}, "A");
    const recorded_run there = run_of({example_result(64, 3, small, 60), example_result(128, 3, small, 50)}, "B");
    const landscape best = drawn({here, there}, {.axes = {}, .by = {{"n", "gpu"}}});
    ASSERT_EQ(best.maps.size(), 2u);
    EXPECT_EQ(*best.maps[0].by.find("gpu"), parameter_value(std::string("A")));
    ASSERT_TRUE(best.everywhere);
    EXPECT_EQ(best.everywhere->parameters, tuning_values(128, 3));
    EXPECT_NEAR(best.everywhere->losses[0], 0.1, 1e-9);
    EXPECT_NEAR(best.everywhere->losses[1], 0, 1e-9);
    EXPECT_EQ(best.everywhere->worst, 0u);
    EXPECT_EQ(drawn({here, there}, {.axes = {"threads"}, .by = {}}).by[0].name, "gpu");
    // A candidate that was not measured everywhere cannot be recommended everywhere.
    EXPECT_FALSE(drawn({run_of({example_result(64, 3, small, 1)}, "A"), run_of({example_result(32, 3, small, 1)}, "B")},
                       {.axes = {}, .by = {{"gpu"}}})
                     .everywhere);
}

TEST(landscape, parts_of_one_run_are_combined_and_the_newest_counts)
{
    const recorded_run one = run_of({example_result(64, 3, small, 100), example_result(128, 3, small, 90)});
    const recorded_run two = run_of({example_result(64, 3, small, 80), example_result(256, 3, small, 85)});
    const landscape found = drawn({one, two}, {.axes = {"threads"}, .by = {}});
    ASSERT_EQ(found.maps.size(), 1u);
    EXPECT_EQ(found.maps[0].replaced, 1u);
    EXPECT_EQ(found.maps[0].cells.size(), 3u);
    EXPECT_NEAR(best_of(found.maps[0], found.maps[0].cells[0]).time->median, 80, 1e-9);
    EXPECT_TRUE(best_of(found.maps[0], found.maps[0].cells[0]).is_winner);
}

TEST(landscape, incomparable_results_are_never_in_one_map)
{
    const recorded_run one = run_of({example_result(64, 3, small, 100)});
    for (const char* what : {"driver", "toolkit", "source", "task"}) {
        recorded_run other = one;
        if (what == std::string("driver")) other.info.environment.driver = "12.0";
        if (what == std::string("toolkit")) other.info.environment.toolkit = "NVRTC 12.0";
        if (what == std::string("source")) other.info.source_hash = "0";
        if (what == std::string("task")) other.info.task_hash = "0";
        EXPECT_EQ(drawn({one, other}, {.axes = {"threads"}, .by = {}}).maps.size(), 2u) << what;
        const std::string refused = refusal({one, other}, {.axes = {"threads"}, .by = {{"n"}}});
        EXPECT_NE(refused.find(std::string("differ in ") + what), std::string::npos) << refused;
        EXPECT_NE(refused.find("--by n,run"), std::string::npos) << refused;
        EXPECT_EQ(drawn({one, other}, {.axes = {"threads"}, .by = {{"n", "run"}}}).maps.size(), 2u);
    }
    recorded_run elsewhere = one;
    elsewhere.info.environment.host = "node8";
    EXPECT_EQ(drawn({one, elsewhere}, {.axes = {"threads"}, .by = {}}).maps.size(), 1u)
        << "the host makes no difference";
}

TEST(landscape, unknown_names_are_refused_with_the_known_ones)
{
    const std::vector<recorded_run> runs{example_results()};
    const std::string unknown = refusal(runs, {.axes = {"threds"}, .by = {}});
    for (const char* name : {"threds", "threads, items", "type, n", "kernel, gpu, driver, toolkit, run"})
        EXPECT_NE(unknown.find(name), std::string::npos) << unknown;
    EXPECT_NE(refusal(runs, {.axes = {"threads"}, .by = {{"size"}}}).find("--by"), std::string::npos);
    EXPECT_NE(refusal(runs, {.axes = {"threads"}, .by = {{"threads"}}}).find("an axis"), std::string::npos);
    EXPECT_NE(refusal(runs, {.axes = {"threads", "threads"}, .by = {}}).find("twice"), std::string::npos);
    // A parameter with the name of something else is written as in CSV.
    const std::vector<recorded_run> both{run_of({with(example_result(64, 3, small, 1), "gpu", std::int64_t(7))})};
    EXPECT_NE(refusal(both, {.axes = {"gpu"}, .by = {}}).find("write parameters.gpu or record.gpu"), std::string::npos);
    EXPECT_EQ(drawn(both, {.axes = {"parameters.gpu"}, .by = {}}).maps[0].values[0][0],
              parameter_value(std::int64_t(7)));
}

TEST(landscape, numbers_ascend_and_texts_follow)
{
    recorded_run run = run_of({});
    for (const parameter_value& value :
         {parameter_value(std::string("b")), parameter_value(std::int64_t(10)), parameter_value(2.5),
          parameter_value(std::string("a")), parameter_value(true)})
        run.results.push_back(with(example_result(64, 3, small, 100), "mode", value));
    run.results.push_back(example_result(128, 3, small, 100));
    const landscape found = drawn({run}, {.axes = {"mode"}, .by = {}});
    const std::vector<parameter_value> order{2.5, std::int64_t(10), std::string("a"), std::string("b"), true};
    EXPECT_EQ(found.maps[0].values[0], order);
    EXPECT_EQ(found.maps[0].unplaced, 1u) << "one has no mode";
}

// An untrusted file: as many values as results on both axes, and one workload each.
TEST(landscape, its_size_depends_on_the_results_and_not_on_the_axes)
{
    recorded_run run = run_of({});
    for (std::int64_t i = 0; i < 5000; ++i) run.results.push_back(example_result(i, i, small, 100));
    const landscape found = drawn({run}, {.axes = {"threads", "items"}, .by = {}});
    EXPECT_EQ(found.maps[0].cells.size(), 5000u);
    for (std::int64_t i = 0; i < 5000; ++i) run.results[static_cast<std::size_t>(i)].workload = sizes(i);
    EXPECT_EQ(drawn({run}, {.axes = {"threads", "items"}, .by = {}}).maps.size(), 5000u);
}

TEST(landscape, without_a_winner_no_cell_is_marked)
{
    recorded_run run = run_of({example_result(64, 3, small, 100), example_result(128, 3, small, 101)});
    for (stored_result& result : run.results)
        for (std::size_t i = 0; i < result.measured.samples_ns.size(); ++i)
            result.measured.samples_ns[i] *= i % 2 == 0 ? 0.7 : 1.3;
    const landscape found = drawn({run}, {.axes = {"threads"}, .by = {}});
    EXPECT_TRUE(found.maps[0].sections[0].noise);
    for (const landscape_cell& cell : found.maps[0].cells) {
        EXPECT_FALSE(best_of(found.maps[0], cell).is_winner);
        EXPECT_TRUE(best_of(found.maps[0], cell).noisy());
    }
}

}  // namespace
}  // namespace launchbox
