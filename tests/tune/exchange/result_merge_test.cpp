// Merging runs of several stores: halves are joined, contradictions are kept apart, nothing is lost.
#include "tune/exchange/result_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "recorded_results.hpp"
#include "support/files/files.hpp"
#include "tune/ranking/ranking.hpp"

namespace launchbox {
namespace {

class result_merge_test : public ::testing::Test {
protected:
    temporary_directory folder;
    result_store store{(folder.path() / "fleet.db").string()};

    merge_summary merge(const std::vector<recorded_run>& runs)
    {
        std::vector<std::string> from;
        for (std::size_t i = 0; i < runs.size(); ++i)
            from.push_back(std::string(1, static_cast<char>('a' + i)) + ".db");
        return merge_runs(store, runs, from);
    }

    // All results as text, whichever run they are in.
    [[nodiscard]] std::multiset<std::string> content() const
    {
        std::multiset<std::string> all;
        for (const auto& [number, info] : store.runs())
            for (const stored_result& result : store.results(number)) all.insert(words(result));
        return all;
    }
    static std::string words(const stored_result& result)
    {
        std::string text = parameter_text(result.parameters) + " " + parameter_text(result.workload) + " " +
                           std::string(name_of(result.measured.status)) + " " + result.log;
        for (const double sample : result.measured.samples_ns) text += " " + std::to_string(sample);
        return text;
    }
    static std::multiset<std::string> content_of(const std::vector<recorded_run>& runs)
    {
        std::multiset<std::string> all;
        for (const recorded_run& run : runs)
            for (const stored_result& result : run.results) all.insert(words(result));
        return all;
    }
};

// The even or the odd results.
recorded_run half_of(recorded_run run, std::size_t which)
{
    std::vector<stored_result> half;
    for (std::size_t i = which; i < run.results.size(); i += 2) half.push_back(run.results[i]);
    run.results = half;
    if (which == 1) run.races.clear();
    return run;
}

}  // namespace

TEST_F(result_merge_test, two_halves_are_joined)
{
    const recorded_run whole = example_results();
    const merge_summary merged = merge({half_of(whole, 0), half_of(whole, 1)});
    EXPECT_EQ(merged.runs, 1U);
    EXPECT_EQ(merged.joined, 1U);
    EXPECT_EQ(merged.results, whole.results.size());
    EXPECT_TRUE(merged.kept_apart.empty());
    EXPECT_EQ(store.runs().size(), 1U);
    EXPECT_EQ(content(), content_of({whole}));
    EXPECT_EQ(store.races(1).size(), whole.races.size());
}

// Each half has a race of its own: nothing was measured twice, so they belong together, but neither race had all
// current candidates.
TEST_F(result_merge_test, two_halves_with_a_race_each_are_joined)
{
    recorded_run one = half_of(example_results(), 0), two = half_of(example_results(), 1);
    const std::int64_t small = 1 << 20;
    one.races = {{1, sizes(small), {{tuning_values(256, 11), samples_around(125'000, 9), 125'000.0}}, "winner", 0}};
    two.races = {{1, sizes(small), {{tuning_values(128, 15), samples_around(100'000, 9), 100'000.0}}, "winner", 0}};
    const merge_summary merged = merge({one, two, one});
    EXPECT_EQ(merged.runs, 1U);
    EXPECT_EQ(merged.joined, 2U);
    EXPECT_TRUE(merged.kept_apart.empty());
    EXPECT_EQ(content(), content_of({example_results()}));
    const std::vector<race_result_info> races = store.races(1);
    ASSERT_EQ(races.size(), 2U) << "nothing is lost, and what came twice is there once";
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(races[i], (i == 0 ? one : two).races[0]);
    const std::vector<stored_result> results = store.results(1);
    const ranking now = rank(results, races, example_run().baseline).at(0);
    EXPECT_FALSE(now.race) << "128 x 17 took part in neither";
    ASSERT_TRUE(now.outdated);
    EXPECT_EQ(results[now.candidates[now.decided->winner].result].parameters, tuning_values(128, 15));
    // The next call races all of them, and then there is one race.
    store.save(example_results().races[0]);
    EXPECT_EQ(store.races(1).size(), 1U);
}

// The order of the files must not decide which call is the latest.
TEST_F(result_merge_test, calls_keep_their_order)
{
    const auto run_with = [](const std::string& task, std::int64_t call, const std::string& started) {
        recorded_run run = example_results();
        run.info.task_hash = task;
        run.info.call = call;
        run.info.started = started;
        return run;
    };
    // a.db: the clock was set back between its two calls. b.db: its time is between the two in a.db.
    const std::vector<recorded_run> runs{run_with("a2", 2, "2026-01-01T00:00:01Z"),
                                         run_with("a1", 1, "2026-01-01T00:00:05Z"),
                                         run_with("b", 1, "2026-01-01T00:00:07Z")};
    merge_runs(store, runs, {"a.db", "a.db", "b.db"});
    std::vector<std::pair<std::int64_t, std::string>> calls;
    for (const auto& [number, info] : store.runs()) calls.emplace_back(info.call.value(), info.task_hash);
    std::sort(calls.begin(), calls.end());
    std::vector<std::string> order;
    for (const auto& [call, task] : calls) order.push_back(task);
    EXPECT_EQ(order, (std::vector<std::string>{"a1", "a2", "b"}));
}

TEST_F(result_merge_test, different_gpus_are_named_as_the_reason)
{
    recorded_run one = half_of(example_results(), 0), two = half_of(example_results(), 1);
    one.devices = {{.name = "GPU 1", .host = "a", .uuid = "GPU-1"}};
    two.devices = {{.name = "GPU 1", .host = "b", .uuid = "GPU-2"}};
    const merge_summary merged = merge({one, two});
    ASSERT_EQ(merged.kept_apart.size(), 1U);
    EXPECT_EQ(merged.kept_apart[0].why, "has other data for GPU 1");
}

TEST_F(result_merge_test, the_same_file_twice_adds_nothing)
{
    const recorded_run run = example_results();
    const merge_summary merged = merge({run, run, run});
    EXPECT_EQ(merged.runs, 1U);
    EXPECT_EQ(merged.repeated, 2 * run.results.size());
    EXPECT_EQ(content(), content_of({run}));
}

TEST_F(result_merge_test, other_times_of_the_same_candidates_are_kept_as_a_separate_run)
{
    const recorded_run one = example_results();
    recorded_run other = one;
    for (stored_result& result : other.results)
        for (double& sample : result.measured.samples_ns) sample *= 1.01;
    for (race_result_info& race : other.races)
        for (race_entry& entry : race.entries)
            for (double& sample : entry.samples_ns) sample *= 1.01;
    const merge_summary merged = merge({one, other, one, other});
    EXPECT_EQ(merged.runs, 2U) << "each came twice";
    ASSERT_EQ(merged.kept_apart.size(), 1U);
    EXPECT_EQ(merged.kept_apart[0].run, "run 1 of b.db");
    EXPECT_EQ(merged.kept_apart[0].why, "has another result for threads=256 items=11");
    EXPECT_EQ(content(), content_of({one, other}));
    ASSERT_EQ(store.runs().size(), 2U);
    for (const auto& [number, info] : store.runs()) EXPECT_EQ(store.races(number).size(), one.races.size());
    // tune continues the first run.
    EXPECT_EQ(store.begin_run(example_run()), 1);
}

TEST_F(result_merge_test, one_different_candidate_keeps_its_whole_run_apart)
{
    const recorded_run one = example_results();
    recorded_run other = half_of(one, 0);
    other.results.front().measured.samples_ns.front() += 1;
    const merge_summary merged = merge({one, other});
    EXPECT_EQ(merged.runs, 2U);
    EXPECT_EQ(content(), content_of({one, other}));
}

TEST_F(result_merge_test, other_specs_sources_and_gpus_are_other_runs)
{
    const recorded_run one = example_results();
    recorded_run spec = one, source = one, gpu = one, host = half_of(one, 1);
    spec.info.task_hash = "other";
    source.info.source_hash = "other";
    gpu.info.environment.gpu = "Other GPU";
    host.info.environment.host = "another";  // otherwise equal: the same run
    const merge_summary merged = merge({one, spec, source, gpu, host});
    EXPECT_EQ(merged.runs, 4U);
    EXPECT_EQ(merged.joined, 1U);
    EXPECT_TRUE(merged.kept_apart.empty());
    EXPECT_EQ(content(), content_of({one, spec, source, gpu}));
}

TEST_F(result_merge_test, gpus_are_merged_too)
{
    recorded_run one = half_of(example_results(), 0), two = half_of(example_results(), 1);
    gpu_hardware built_of;
    built_of.sm_clock_mhz = 1980;
    built_of.pci_bus = "0000:3b:00.0";
    one.devices = {{.name = "rank 1 (a, GPU 0)",
                    .host = "a",
                    .uuid = "GPU-1",
                    .ecc = true,
                    .hardware = built_of,
                    .calibration_ns = {1, 2, 3}}};
    two.devices = {{.name = "rank 1 (b, GPU 0)", .host = "b", .uuid = {}, .measured = 7, .lost = "it was slow"}};
    EXPECT_EQ(merge({one, two}).runs, 1U);
    std::vector<device_record> both = one.devices;
    both.push_back(two.devices.front());
    EXPECT_EQ(store.devices(1), both);
}

}  // namespace launchbox
