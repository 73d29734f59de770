// Which candidate is the fastest, by how much, and which are equal to it.
#include "tune/ranking/ranking.hpp"
#include "tune/types/recorded_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "recorded_results.hpp"

namespace launchbox {
namespace {

std::vector<ranking> ranked(const recorded_run& run)
{
    return rank(run.results, run.races, run.info.baseline);
}

const assignment& parameters_of(const recorded_run& run, const ranking& workload, std::size_t place)
{
    return run.results[workload.candidates[place].result].parameters;
}

TEST(ranking, has_one_table_per_workload_sorted_by_median)
{
    const recorded_run run = example_results();
    const std::vector<ranking> rankings = ranked(run);
    ASSERT_EQ(rankings.size(), 2u);
    EXPECT_EQ(rankings[0].workload, sizes(1 << 20));
    EXPECT_EQ(rankings[1].workload, sizes(1 << 27));
    ASSERT_EQ(rankings[0].candidates.size(), 7u);
    const std::vector<assignment> order{tuning_values(64, 5),  tuning_values(128, 15), tuning_values(128, 17),
                                        tuning_values(512, 7), tuning_values(512, 9),  tuning_values(256, 11),
                                        tuning_values(64, 3)};
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(parameters_of(run, rankings[0], i), order[i]) << i;
    EXPECT_EQ(rankings[0].baseline, 5u);
    EXPECT_TRUE(rankings[0].candidates[5].is_baseline);
    EXPECT_EQ(rankings[0].candidates[1].time, summarise(run.results[1].measured.samples_ns));
}

TEST(ranking, unverified_and_stopped_candidates_may_not_win)
{
    recorded_run run = example_results();
    run.races.clear();
    std::vector<ranking> rankings = ranked(run);
    EXPECT_FALSE(rankings[0].candidates[0].may_win);
    EXPECT_FALSE(rankings[0].candidates[6].may_win);
    ASSERT_TRUE(rankings[0].decided);
    EXPECT_EQ(rankings[0].decided->winner, 1u);
    // If none is verified, verification is not required.
    for (stored_result& result : run.results) result.measured.verified = false;
    rankings = ranked(run);
    EXPECT_EQ(rankings[0].decided->winner, 0u);
    EXPECT_FALSE(rankings[0].candidates[6].may_win);
    for (stored_result& result : run.results) result.measured.stopped_early = true;
    EXPECT_FALSE(ranked(run)[0].decided);
}

TEST(ranking, the_race_decides)
{
    recorded_run run = example_results();
    const ranking first = ranked(run)[0];
    ASSERT_TRUE(first.decided);
    EXPECT_TRUE(first.decided->raced);
    EXPECT_EQ(first.decided->winner, 2u);  // slower by its own samples
    EXPECT_TRUE(first.decided->equal);
    EXPECT_EQ(first.decided->equal_within, 0.004);
    ASSERT_TRUE(first.decided->over_baseline);
    EXPECT_DOUBLE_EQ(first.decided->over_baseline->times, 125'500.0 / 100'100.0);
    EXPECT_FALSE(ranked(run)[1].decided->raced);

    run.races[0].verdict = "winner";
    run.races[0].entries[1].samples_ns = samples_around(103'000);
    EXPECT_FALSE(ranked(run)[0].decided->equal);
    EXPECT_EQ(ranked(run)[0].decided->equal_within, 0);
    // A race of candidates that no longer exist decides nothing.
    run.races[0].entries.erase(run.races[0].entries.begin() + 1, run.races[0].entries.end());
    run.races[0].entries[0].parameters = tuning_values(1, 1);
    EXPECT_FALSE(ranked(run)[0].decided->raced);
}

// A race, and then more results of the same run: the race did not have all candidates.
TEST(ranking, a_race_that_is_older_than_the_results_does_not_decide)
{
    const std::int64_t small = 1 << 20;
    const recorded_run before = example_results();
    const auto with = [&](stored_result more) {
        recorded_run run = before;
        run.results.push_back(std::move(more));
        return run;
    };
    // Twice as fast; as fast as the best; within the margin in which it may be the better one.
    for (const double median : {50'000.0, 99'900.0, 101'500.0}) {
        SCOPED_TRACE(median);
        const recorded_run run = with(example_result(32, 3, small, median));
        const ranking now = ranked(run)[0];
        ASSERT_TRUE(now.decided);
        EXPECT_FALSE(now.decided->raced);
        EXPECT_FALSE(now.race);
        ASSERT_TRUE(now.outdated);
        ASSERT_EQ(now.outdated->missed.size(), 1u);
        EXPECT_EQ(parameters_of(run, now, now.outdated->missed[0]), tuning_values(32, 3));
        const std::string winner = parameter_text(parameters_of(run, now, now.decided->winner));
        EXPECT_EQ(winner, median < 100'000 ? "threads=32 items=3" : "threads=128 items=15");
        EXPECT_EQ(outdated_race_text(run.results, now),
                  "threads=32 items=3 did not take part in the final race (measured later, or not in the spec)");
        for (const ranked_candidate& candidate : now.candidates) {
            EXPECT_FALSE(candidate.raced);
            EXPECT_EQ(candidate.settled, candidate.time);
        }
    }
    // No result that would take part in a race: the race counts.
    stored_result slow = example_result(32, 3, small, 140'000), same = example_result(32, 3, small, 100'000),
                  unverified = example_result(32, 3, small, 50'000), stopped = example_result(32, 3, small, 50'000),
                  elsewhere = example_result(32, 3, 1 << 27, 50'000);
    same.same_as = tuning_values(128, 15);
    unverified.measured.verified = false;
    stopped.measured.stopped_early = true;
    for (const stored_result& more :
         {slow, same, unverified, stopped, elsewhere, failed(32, 3, small, outcome::hang, "it hangs")}) {
        const ranking now = ranked(with(more))[0];
        EXPECT_EQ(now.race, 0u);
        EXPECT_TRUE(now.decided->raced);
        EXPECT_FALSE(now.outdated);
    }
    EXPECT_EQ(outdated_race_text(before.results, ranked(before)[0]), "");
}

TEST(ranking, a_race_counts_only_with_the_results_that_it_used)
{
    recorded_run run = example_results(), before_it_was_kept = run;
    EXPECT_TRUE(ranked(run)[0].decided->raced);
    for (race_entry& entry : before_it_was_kept.races[0].entries) entry.result_median_ns.reset();
    EXPECT_TRUE(ranked(before_it_was_kept)[0].decided->raced);
    // JSON without samples only has the median.
    recorded_run medians = run;
    for (stored_result& result : medians.results)
        if (result.measured.status == outcome::measured)
            result.measured.samples_ns = {summarise(result.measured.samples_ns).median};
    EXPECT_TRUE(ranked(medians)[0].decided->raced);

    for (const race_entry& entry : run.races[0].entries) {
        SCOPED_TRACE(parameter_text(entry.parameters));
        recorded_run again = run, failed_now = run, gone = run;
        for (recorded_run* changed : {&again, &failed_now}) {
            stored_result& result = *std::ranges::find_if(changed->results, [&](const stored_result& each) {
                return each.parameters == entry.parameters && each.workload == run.races[0].workload;
            });
            if (changed == &again)
                for (double& sample : result.measured.samples_ns) sample *= 1.0001;
            else
                result.measured = {.status = outcome::wrong_result, .reason = "out[3] is 4"};
        }
        std::erase_if(gone.results, [&](const stored_result& each) { return each.parameters == entry.parameters; });
        for (const recorded_run* changed : {&again, &failed_now, &gone}) {
            const ranking now = ranked(*changed)[0];
            EXPECT_FALSE(now.decided->raced);
            ASSERT_TRUE(now.outdated);
            EXPECT_EQ(now.outdated->changed, std::vector<assignment>{entry.parameters});
            EXPECT_EQ(outdated_race_text(changed->results, now),
                      parameter_text(entry.parameters) + " took part in the final race with another result than now");
        }
    }
    // An uncompared winner cannot win if others were compared.
    for (stored_result& result : run.results)
        if (result.parameters == run.races[0].entries[0].parameters) result.measured.verified = false;
    EXPECT_FALSE(ranked(run)[0].decided->raced);
}

// As in halves of a run that were merged.
TEST(ranking, of_several_races_the_last_valid_one_decides)
{
    recorded_run run = example_results();
    race_result_info of_half = run.races[0];
    of_half.entries = {{tuning_values(512, 7), samples_around(110'000, 31)}};
    of_half.verdict = "winner";
    run.races.push_back(of_half);
    EXPECT_EQ(ranked(run)[0].race, 0u);
    run.races.push_back(run.races[0]);
    EXPECT_EQ(ranked(run)[0].race, 2u);
    EXPECT_FALSE(ranked(run)[0].outdated);
    run.races = {of_half, of_half};
    const ranking none = ranked(run)[0];
    EXPECT_FALSE(none.race);
    ASSERT_TRUE(none.outdated);
    EXPECT_EQ(none.outdated->missed.size(), 2u);
    EXPECT_EQ(
        outdated_race_text(run.results, none),
        "threads=128 items=15 and 1 more did not take part in the final race (measured later, or not in the spec)");
}

// "equal" prefers the baseline, which may be another one in the next call.
TEST(ranking, among_equals_in_a_race_the_current_baseline_wins)
{
    recorded_run run = example_results();
    run.info.baseline = tuning_values(128, 15);
    const ranking now = ranked(run)[0];
    EXPECT_TRUE(now.decided->raced);
    EXPECT_EQ(parameters_of(run, now, now.decided->winner), tuning_values(128, 15));
    EXPECT_EQ(now.decided->over_baseline,
              gain_of(summarise(run.races[0].entries[1].samples_ns), summarise(run.races[0].entries[1].samples_ns)));
    run.info.baseline = tuning_values(256, 11);  // it was separated in the race
    const ranking other = ranked(run)[0];
    EXPECT_EQ(parameters_of(run, other, other.decided->winner), tuning_values(128, 17));
    run.info.baseline = tuning_values(128, 15);
    run.races[0].verdict = "winner";
    run.races[0].entries[1].samples_ns = samples_around(103'000);
    const ranking separated = ranked(run)[0];
    EXPECT_EQ(parameters_of(run, separated, separated.decided->winner), tuning_values(128, 17));
}

// A clock with a coarse resolution: more than eight are equally fast, so which of them raced does not matter.
TEST(ranking, a_race_of_eight_among_more_equals_counts)
{
    recorded_run run{1, example_run(), {}, {}};
    race_result_info race{1, sizes(5), {}, "winner", 0};
    for (std::int64_t i = 0; i < 12; ++i) {
        run.results.push_back(example_result(32, i, 5, 1000));
        if (i >= 4) race.entries.push_back({tuning_values(32, i), samples_around(1000, 9), 1000.0});
    }
    run.races.push_back(race);
    EXPECT_TRUE(ranked(run)[0].race);
    run.results.push_back(example_result(32, 12, 5, 999));
    EXPECT_FALSE(ranked(run)[0].race);
}

TEST(ranking, without_a_race_the_baseline_wins_if_it_is_equal)
{
    recorded_run run = example_results();
    run.races.clear();
    const std::size_t baseline = 0, fastest = 1;
    ASSERT_EQ(run.results[baseline].parameters, run.info.baseline);
    run.results[baseline].measured.samples_ns = samples_around(100'700);
    const ranking equal = ranked(run)[0];
    EXPECT_EQ(equal.candidates[equal.decided->winner].result, baseline);
    EXPECT_TRUE(equal.decided->equal);
    const sample_summary one = summarise(run.results[baseline].measured.samples_ns),
                         other = summarise(run.results[fastest].measured.samples_ns);
    EXPECT_DOUBLE_EQ(equal.decided->equal_within, one.high / other.low - 1);

    run.results[baseline].measured.samples_ns = samples_around(101'700);
    const ranking apart = ranked(run)[0];
    EXPECT_EQ(apart.candidates[apart.decided->winner].result, fastest);
    EXPECT_TRUE(apart.decided->equal);  // equal to the third, which has other code
    for (stored_result& result : run.results)
        if (result.parameters == tuning_values(128, 17)) result.measured.samples_ns = samples_around(105'000);
    EXPECT_FALSE(ranked(run)[0].decided->equal);
}

TEST(ranking, equals_have_overlapping_intervals)
{
    const recorded_run run = example_results();
    const ranking first = ranked(run)[0];
    EXPECT_FALSE(first.candidates[0].equals_best);  // may not win
    EXPECT_FALSE(first.candidates[1].equals_best);  // it is the best itself
    EXPECT_TRUE(first.candidates[2].equals_best);
    for (std::size_t i = 3; i < 7; ++i) EXPECT_FALSE(first.candidates[i].equals_best) << i;
}

TEST(ranking, gains_have_an_interval)
{
    const gain found = gain_of({.count = 9, .median = 200, .low = 190, .high = 220},
                               {.count = 9, .median = 100, .low = 95, .high = 110});
    EXPECT_DOUBLE_EQ(found.times, 2);
    EXPECT_DOUBLE_EQ(found.low, 190.0 / 110);
    EXPECT_DOUBLE_EQ(found.high, 220.0 / 95);
    EXPECT_EQ(gain_of({.count = 1, .median = 1, .low = 1, .high = 1}, {.count = 1}), gain());
    const ranking first = ranked(example_results())[0];
    EXPECT_DOUBLE_EQ(first.candidates[1].over_baseline->times, 1.25);
    EXPECT_DOUBLE_EQ(first.candidates[5].over_baseline->times, 1);
    EXPECT_LT(first.candidates[6].over_baseline->times, 1);

    recorded_run without = example_results();
    without.info.baseline.reset();
    EXPECT_FALSE(ranked(without)[0].baseline);
    EXPECT_FALSE(ranked(without)[0].candidates[1].over_baseline);
}

TEST(ranking, same_code_is_marked_and_failures_are_counted)
{
    const recorded_run run = example_results();
    const ranking first = ranked(run)[0];
    EXPECT_EQ(first.shared, 1u);
    EXPECT_EQ(first.candidates[4].same_as, 3u);
    EXPECT_EQ(first.candidates[3].same_as, std::nullopt);
    ASSERT_EQ(first.failures.size(), 4u);
    EXPECT_EQ(first.failures[0].status, outcome::rejected);
    EXPECT_EQ(first.failures[0].results, (std::vector<std::size_t>{8, 9}));
    std::size_t all = 0;
    for (const failure_count& failure : first.failures) all += failure.results.size();
    EXPECT_EQ(all + first.candidates.size() + 2, run.results.size());
    EXPECT_TRUE(ranked(run)[1].failures.empty());
    EXPECT_EQ(ranked(run)[1].decided->winner, 0u);
    EXPECT_TRUE(ranked(run)[1].candidates[0].is_baseline);
}

TEST(ranking, nothing_gives_nothing)
{
    EXPECT_TRUE(rank({}, {}, std::nullopt).empty());
    recorded_run run = example_results();
    std::erase_if(run.results, [](const stored_result& result) { return result.measured.status == outcome::measured; });
    const std::vector<ranking> rankings = ranked(run);
    ASSERT_EQ(rankings.size(), 1u);
    EXPECT_TRUE(rankings[0].candidates.empty());
    EXPECT_FALSE(rankings[0].decided);
}

// Samples that alternate by this fraction in both directions.
std::vector<double> jumping(double median, double part)
{
    std::vector<double> samples;
    for (int i = 0; i < 15; ++i) samples.push_back(median * (1 + (i == 7 ? 0 : i < 7 ? -part : part)));
    return samples;
}

TEST(ranking, nothing_wins_if_the_noise_exceeds_the_lead)
{
    const std::int64_t n = 1 << 20;
    std::vector<stored_result> results{example_result(64, 3, n, 1), example_result(128, 3, n, 1),
                                       example_result(256, 11, n, 1)};
    const auto ranked_with = [&](double first, double second, double third) {
        results[0].measured.samples_ns = jumping(100, first);
        results[1].measured.samples_ns = jumping(103, second);
        results[2].measured.samples_ns = jumping(400, third);
        return rank(results, {}, tuning_values(256, 11))[0];
    };
    const ranking noisy = ranked_with(0.15, 0.6, 0.01);
    EXPECT_FALSE(noisy.decided);
    ASSERT_TRUE(noisy.noise);
    EXPECT_NEAR(noisy.noise->least, 0.15, 1e-9);
    EXPECT_NEAR(noisy.noise->most, 0.6, 1e-9);
    EXPECT_NEAR(noisy.noise->gap, 0.03, 1e-9);
    EXPECT_EQ(noise_text(*noisy.noise), "samples vary by ± 15 to 60 %");
    // Not with little noise; nor with that of another candidate, if the best is known well; nor if all others are
    // slower anyway.
    EXPECT_TRUE(ranked_with(0.03, 0.03, 0.01).decided->equal);
    EXPECT_EQ(ranked_with(0.01, 0.6, 0.01).decided->winner, 0u);
    results[1].measured.stopped_early = true;
    EXPECT_EQ(ranked_with(0.5, 0.5, 0.1).decided->winner, 0u);
    // The baseline is among those that are not separated.
    results[2].measured.samples_ns = jumping(110, 0.3);
    EXPECT_FALSE(rank(results, {}, tuning_values(256, 11))[0].decided);
}

TEST(ranking, a_race_on_a_noisy_machine_decides_nothing)
{
    recorded_run run = example_results();
    for (race_entry& entry : run.races[0].entries) entry.samples_ns = jumping(entry.samples_ns[15], 0.4);
    ranking first = ranked(run)[0];
    EXPECT_FALSE(first.decided);
    EXPECT_EQ(first.race, 0u);
    ASSERT_TRUE(first.noise);
    EXPECT_EQ(noise_text(*first.noise), "samples vary by ± 40 %");
    // Candidates that it did separate count.
    run.races[0].verdict = "winner";
    EXPECT_TRUE(ranked(run)[0].decided->raced);
}

}  // namespace
}  // namespace launchbox
