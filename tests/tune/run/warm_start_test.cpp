// The benefit of a warm start, with recorded measurements of an H200.
#include "tune/run/warm_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tune/exchange/result_file.hpp"
#include "tune/search/search_replay.hpp"

namespace launchbox {
namespace {

std::vector<std::string> names_of(const search_space& space)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : space.at(0).values) names.push_back(name);
    return names;
}

// Evaluations until within 5 % of the best, over 20 seeds, in ascending order.
std::vector<std::size_t> evaluations(const replay_workload& replay, const std::vector<std::size_t>& first)
{
    std::vector<std::size_t> all;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto strategy = make_strategy("auto", replay.space, {.seed = seed, .first = first});
        const search_course course = replay_search(replay, *strategy, replay.space.size(), {});
        all.push_back(course.within(0.05, replay.best())->evaluations);
    }
    std::ranges::sort(all);
    return all;
}

// Four workloads of one kernel: two types, two sizes. Each starts from the best candidates of each other workload.
TEST(warm_start, from_another_type_or_size_finds_the_best_in_fewer_evaluations)
{
    const result_file file = read_result_file(
        (std::filesystem::path(LAUNCHBOX_SOURCE_DIR) / "measurements/nvidia-h200/tune_block_sort.json").string());
    const recorded_run& run = file.runs.at(0);
    const std::vector<replay_workload> replays = replay_workloads(run);
    ASSERT_EQ(replays.size(), 4u);
    for (const replay_workload& to : replays) {
        const std::vector<std::size_t> cold = evaluations(to, {});
        for (const replay_workload& from : replays) {
            if (&from == &to) continue;
            result_file elsewhere;
            elsewhere.runs.push_back({1, run.info, {}, {}});
            for (const stored_result& result : run.results)
                if (result.workload == from.workload) elsewhere.runs[0].results.push_back(result);
            const std::vector<std::size_t> first = found_in(to.space, names_of(to.space), best_of(elsewhere, 12));
            EXPECT_EQ(first.size(), 12u);
            const std::vector<std::size_t> warm = evaluations(to, first);
            EXPECT_LE(warm.back(), 12u) << parameter_text(from.workload) << " -> " << parameter_text(to.workload);
            EXPECT_LT(warm[10], cold[10]);
        }
    }
}

}  // namespace
}  // namespace launchbox
