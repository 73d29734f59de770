// Rows for several GPUs, with shares calculated by hand.
#include "tune/ranking/portability.hpp"

#include <gtest/gtest.h>

#include "recorded_results.hpp"
#include "support/error.hpp"

namespace launchbox {
namespace {

recorded_run run_on(const std::string& gpu, const std::string& architecture, std::vector<stored_result> results)
{
    recorded_run run{1, example_run(), std::move(results), {}};
    run.info.environment.gpu = gpu;
    run.info.environment.architecture = architecture;
    return run;
}

stored_result timed(std::int64_t threads, double median, std::int64_t n = 1)
{
    return example_result(threads, 11, n, median);
}

portability of(const std::vector<recorded_run>& runs)
{
    std::vector<landscape_source> sources;
    for (std::size_t i = 0; i < runs.size(); ++i) sources.push_back({&runs[i], "run" + std::to_string(i) + ".db"});
    return portability_of(sources);
}

const portable_row& row_of(const portability& found, std::int64_t threads)
{
    for (const portable_row& row : found.rows)
        if (row.parameters == tuning_values(threads, 11)) return row;
    throw error("no such row");
}

std::string message_of(const std::vector<recorded_run>& runs)
{
    try {
        of(runs);
    } catch (const error& failure) {
        return failure.what();
    }
    return "no error";
}

TEST(portability, has_the_share_of_each_candidate_on_each_gpu)
{
    const portability found = of({run_on("A100", "sm_80", {timed(256, 200), timed(128, 100), timed(64, 110)}),
                                  run_on("H100", "sm_90", {timed(256, 50), timed(128, 80), timed(64, 44)})});
    ASSERT_EQ(found.gpus.size(), 2u);
    EXPECT_EQ(found.gpus[1].architecture, "sm_90");
    EXPECT_EQ(found.rows[found.gpus[0].best].parameters, tuning_values(128, 11));
    EXPECT_EQ(found.rows[found.gpus[1].best].parameters, tuning_values(64, 11));
    EXPECT_NEAR(*row_of(found, 256).shares[0], 0.5, 1e-3);
    EXPECT_NEAR(*row_of(found, 256).shares[1], 44.0 / 50, 1e-3);
    EXPECT_EQ(row_of(found, 64).shares[1], 1);
    ASSERT_EQ(found.common.size(), 3u);
    EXPECT_EQ(found.rows[found.common[0]].parameters, tuning_values(64, 11));  // at worst 10 % slower than the best
    ASSERT_EQ(found.sets.size(), 2u);
    EXPECT_NEAR(loss_of(found.sets[0].worst_share), 0.1, 1e-3);
    EXPECT_EQ(smallest_set(found, 0.11), 0u);
    EXPECT_EQ(smallest_set(found, 0.02), 1u);
    ASSERT_TRUE(found.baseline);
    EXPECT_EQ(found.rows[*found.baseline].parameters, tuning_values(256, 11));
    EXPECT_NEAR(*found.gpus[0].baseline_ns, 200, 1);
}

TEST(portability, guesses_nothing_for_unmeasured_candidates)
{
    stored_result unverified = timed(32, 10);
    unverified.measured.verified = false;
    const portability found =
        of({run_on("A100", "sm_80", {timed(256, 200), timed(128, 100), unverified}),
            run_on("H100", "sm_90", {timed(256, 50), failed(128, 11, 1, outcome::worker_died, "killed")})});
    EXPECT_FALSE(row_of(found, 128).shares[1]);
    EXPECT_FALSE(row_of(found, 128).is_complete());
    ASSERT_EQ(found.common.size(), 1u);
    EXPECT_EQ(found.rows[found.common[0]].parameters, tuning_values(256, 11));
    for (const portable_row& row : found.rows) EXPECT_NE(row.parameters, tuning_values(32, 11));
    // The row that failed on one GPU is used on the other.
    ASSERT_EQ(found.sets.size(), 2u);
    EXPECT_EQ(found.sets[1].rows.size(), 2u);
}

TEST(portability, over_several_workloads_is_the_geometric_mean)
{
    const portability found =
        of({run_on("A100", "sm_80", {timed(256, 100, 1), timed(256, 100, 2), timed(128, 400, 1), timed(128, 100, 2)}),
            run_on("H100", "sm_90", {timed(256, 100, 1), timed(256, 100, 2), timed(128, 50, 1), timed(128, 50, 2)})});
    EXPECT_NEAR(*row_of(found, 128).shares[0], 0.5, 1e-3);  // the root of 1/4
    EXPECT_NEAR(*row_of(found, 256).shares[1], 0.5, 1e-3);
    EXPECT_FALSE(found.gpus[0].best_ns);
}

TEST(portability, gpus_without_a_name_count_as_different)
{
    const portability found =
        of({run_on(unknown_gpu, "", {timed(256, 200)}), run_on(unknown_gpu, "", {timed(256, 50)})});
    ASSERT_EQ(found.gpus.size(), 2u);
    EXPECT_EQ(found.gpus[0].name, "run0.db");
}

TEST(portability, leaves_out_a_gpu_without_results)
{
    const portability found = of({run_on("A100", "sm_80", {timed(256, 200)}), run_on("H100", "sm_90", {timed(256, 50)}),
                                  run_on("T4", "sm_75", {failed(256, 11, 1, outcome::hang, "30 s")})});
    EXPECT_EQ(found.gpus.size(), 2u);
    ASSERT_EQ(found.left_out.size(), 1u);
    EXPECT_EQ(found.left_out[0], "T4 is left out: no candidate may win there");
}

TEST(portability, refuses_incomparable_results)
{
    const recorded_run here = run_on("A100", "sm_80", {timed(256, 200)});
    EXPECT_NE(message_of({here}).find("A100 alone"), std::string::npos) << message_of({here});
    recorded_run other = run_on("H100", "sm_90", {timed(256, 50)});
    other.info.name = "scan";
    EXPECT_NE(message_of({here, other}).find("is of scan"), std::string::npos) << message_of({here, other});
    recorded_run more = run_on("H100", "sm_90", {timed(256, 50)});
    more.results[0].parameters.values.emplace_back("unroll", std::int64_t{2});
    EXPECT_NE(message_of({here, more}).find("only one of them has unroll"), std::string::npos);
    const recorded_run larger = run_on("H100", "sm_90", {timed(256, 50, 2)});
    EXPECT_NE(message_of({here, larger}).find("measured on A100 and not on H100"), std::string::npos)
        << message_of({here, larger});
}

}  // namespace
}  // namespace launchbox
