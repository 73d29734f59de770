// Which of several equal candidates is used: the baseline, fewer registers, a smaller block, smaller values; and never
// a slower one.
#include "tune/ranking/tie_rule.hpp"

#include "tune/ranking/overall_score.hpp"
#include "tune/ranking/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "recorded_results.hpp"

namespace launchbox {
namespace {

constexpr std::int64_t n = 1 << 20;

// The example's registers are 24 + items.
stored_result tie_result(std::int64_t threads, std::int64_t items, double median, std::optional<int> block = {})
{
    stored_result result = example_result(threads, items, n, median);
    result.kernel->launches.launch_threads = block;
    return result;
}

recorded_run tie_run(std::vector<stored_result> results)
{
    recorded_run run{1, example_run(), std::move(results), {}};
    run.info.baseline.reset();
    return run;
}

struct chosen_one {
    assignment parameters;
    std::size_t among = 0;
    std::optional<tie_reason> why = {};

    friend bool operator==(const chosen_one&, const chosen_one&) = default;
};
std::ostream& operator<<(std::ostream& out, const chosen_one& what)
{
    return out << parameter_text(what.parameters) << " among " << what.among << ": "
               << (what.why ? words_of(*what.why) : "no choice");
}

chosen_one chosen_of(const recorded_run& run)
{
    const ranking only = rank(run.results, run.races, run.info.baseline).at(0);
    const verdict& decided = only.decided.value();
    return {run.results[only.candidates[decided.winner].result].parameters, decided.tie.among, decided.tie.why};
}

// In the order of `run_tune`: the fastest first.
void hold_race(recorded_run& run, const std::string& verdict)
{
    race_result_info raced{1, sizes(n), {}, verdict, verdict == "equal" ? 0.004 : 0};
    std::vector<stored_result> by_time = run.results;
    std::ranges::stable_sort(by_time, {},
                             [](const stored_result& result) { return summarise(result.measured.samples_ns).median; });
    for (const stored_result& result : by_time) {
        const double median = summarise(result.measured.samples_ns).median;
        raced.entries.push_back({result.parameters, samples_around(median, 25), median});
    }
    run.races = {raced};
}

// By samples and by a race, with the results in any order.
void expect_chosen(std::vector<stored_result> results, const std::optional<assignment>& baseline,
                   const chosen_one& expected)
{
    for (int turn = 0; turn < 2; ++turn) {
        recorded_run run = tie_run(results);
        run.info.baseline = baseline;
        EXPECT_EQ(chosen_of(run), expected);
        hold_race(run, "equal");
        EXPECT_EQ(chosen_of(run), expected) << "in a race";
        std::ranges::reverse(results);
    }
}

TEST(tie_rule, of_equals_the_one_with_the_fewest_registers_is_used)
{
    expect_chosen({tie_result(128, 15, 100'000), tie_result(128, 9, 100'300), tie_result(128, 12, 100'100)}, {},
                  {tuning_values(128, 9), 3, tie_reason::fewer_registers});
}

TEST(tie_rule, with_equal_registers_the_smaller_block_and_then_the_smaller_values)
{
    expect_chosen(
        {tie_result(512, 9, 100'000, 512), tie_result(256, 9, 100'100, 256), tie_result(1024, 9, 100'200, 1024)}, {},
        {tuning_values(256, 9), 3, tie_reason::smaller_block});
    // 64 is less than 256, although the text "256" is less than "64".
    expect_chosen({tie_result(256, 9, 100'000, 128), tie_result(64, 9, 100'200, 128)}, {},
                  {tuning_values(64, 9), 2, tie_reason::smaller_values});
    // A record of another program, without registers and threads.
    std::vector<stored_result> unknown{tie_result(256, 9, 100'000), tie_result(64, 17, 100'200)};
    unknown[0].kernel.reset();
    expect_chosen(unknown, {}, {tuning_values(64, 17), 2, tie_reason::smaller_values});
}

TEST(tie_rule, the_baseline_is_kept)
{
    expect_chosen({tie_result(128, 9, 100'000), tie_result(128, 15, 100'300), tie_result(128, 12, 100'100)},
                  tuning_values(128, 15), {tuning_values(128, 15), 3, tie_reason::baseline});
}

TEST(tie_rule, a_slower_candidate_is_not_used_whatever_it_saves)
{
    // Its samples do not separate it, but the best estimate is that it is 0.8 % slower.
    expect_chosen({tie_result(128, 15, 100'000), tie_result(128, 9, 100'800)}, {},
                  {tuning_values(128, 15), 1, std::nullopt});
    expect_chosen({tie_result(128, 15, 100'000), tie_result(128, 9, 104'000)}, {},
                  {tuning_values(128, 15), 1, std::nullopt});
    // Nor one whose output was not verified, if that of others was.
    std::vector<stored_result> results{tie_result(128, 15, 100'000), tie_result(128, 9, 100'000)};
    results[1].measured.verified = false;
    recorded_run run = tie_run(results);
    EXPECT_EQ(chosen_of(run), (chosen_one{tuning_values(128, 15), 1, std::nullopt}));
}

// A difference that these samples separate, and those of the next call may not.
TEST(tie_rule, times_that_differ_by_less_than_half_a_percent_are_equal)
{
    std::vector<stored_result> results{tie_result(128, 15, 1), tie_result(128, 9, 1)};
    results[0].measured.samples_ns.assign(20, 100'000);
    results[1].measured.samples_ns.assign(20, 100'400);
    const recorded_run near = tie_run(results);
    EXPECT_EQ(chosen_of(near), (chosen_one{tuning_values(128, 9), 2, tie_reason::fewer_registers}));
    results[1].measured.samples_ns.assign(20, 100'600);
    EXPECT_EQ(chosen_of(tie_run(results)), (chosen_one{tuning_values(128, 15), 1, std::nullopt}));
}

// A candidate that was dropped from a race because of a negligible difference, as in races of earlier versions.
TEST(tie_rule, a_candidate_dropped_from_a_race_only_loses_if_it_is_slower)
{
    recorded_run run = tie_run({tie_result(128, 15, 100'000), tie_result(128, 9, 100'200)});
    hold_race(run, "winner");
    run.races[0].entries[0].samples_ns.assign(25, 100'000);
    run.races[0].entries[1].samples_ns.assign(6, 100'200);
    EXPECT_EQ(chosen_of(run), (chosen_one{tuning_values(128, 9), 2, tie_reason::fewer_registers}));
    run.races[0].entries[1].samples_ns.assign(6, 100'600);
    EXPECT_EQ(chosen_of(run), (chosen_one{tuning_values(128, 15), 1, std::nullopt}));
}

TEST(tie_rule, applies_over_all_workloads)
{
    std::vector<stored_result> results;
    for (const std::int64_t size : {n, 2 * n})
        for (const std::int64_t items : {15, 9, 12}) {
            results.push_back(tie_result(128, items, items == 15 ? 100'000 : items == 9 ? 100'200 : 130'000));
            results.back().workload = sizes(size);
        }
    const overall_ranking overall = rank_overall(results, rank(results, {}, std::nullopt));
    EXPECT_EQ(overall.candidates[overall.winner.value()].parameters, tuning_values(128, 9));
    EXPECT_EQ(overall.tie.why, tie_reason::fewer_registers);
    EXPECT_EQ(tie_text(overall.tie), "chosen among 2 equal ones: fewer registers");
}

}  // namespace
}  // namespace launchbox
