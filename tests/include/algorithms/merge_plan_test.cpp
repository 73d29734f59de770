// Which runs each pass of merge_sort merges, and what each block outputs: every element once, at any size.
#include "gpu_on_cpu.hpp"

#include <gtest/gtest.h>
#include <launchbox/algorithms/detail/merge_part.cuh>
#include <launchbox/algorithms/detail/merge_plan.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace {

namespace detail = launchbox::detail;

static_assert(detail::merged_elements(256, 32, 1) == 255 * 32);
static_assert(detail::merged_elements(256, 32, 4) == 248 * 32);
static_assert(detail::merged_elements(64, 2, 5) == 48 * 2);

struct row {
    int threads, items;
};
constexpr row rows[] = {{64, 2}, {64, 8}, {128, 32}, {256, 16}, {512, 8}, {1024, 32}};

/// The passes make one run of all elements, even for sizes beyond any memory.
void check_plan(std::int64_t n, const row& of, int max_levels)
{
    const detail::merge_plan plan = detail::plan_merges(n, of.threads, of.items, max_levels);
    const std::int64_t tile = std::int64_t{of.threads} * of.items;
    ASSERT_EQ(plan.tiles, n / tile + (n % tile > 0));
    std::int64_t run = tile, splits = 0;
    int fewest = 64, most = 0;
    for (int i = 0; i < plan.count; ++i) {
        const detail::merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
        ASSERT_EQ(pass.run, run);
        ASSERT_LT(run, n) << "a pass too many";
        // The largest part fits, and slack is at most a 32nd of it.
        const int most_merged = detail::merged_elements(of.threads, of.items, pass.levels);
        ASSERT_EQ(pass.merged + 2 * pass.slack, most_merged);
        ASSERT_LE(pass.slack, most_merged / 64);
        run <<= pass.levels;
        ASSERT_GE(pass.blocks_of_group * pass.merged, run);
        ASSERT_LT((pass.blocks_of_group - 1) * pass.merged, run);
        // The blocks of the last group, which may be short, have at least one element each.
        const std::int64_t groups = n / run, rest = n % run, of_rest = pass.blocks - groups * pass.blocks_of_group;
        ASSERT_GE(of_rest * pass.merged, rest);
        ASSERT_TRUE(rest == 0 ? of_rest == 0 : (of_rest - 1) * pass.merged < rest);
        fewest = std::min(fewest, pass.levels);
        most = std::max(most, pass.levels);
        splits = std::max(splits, pass.blocks << pass.levels);
    }
    ASSERT_GE(run, n);
    ASSERT_EQ(plan.blocks_find_splits, plan.tiles <= 1024);
    ASSERT_EQ(detail::splits_of(plan), plan.blocks_find_splits ? 0 : splits);
    if (plan.count == 0) return;
    ASSERT_GE(fewest, 1);
    ASSERT_LE(most, std::clamp(max_levels, 1, detail::max_merge_levels));
    ASSERT_LE(most - fewest, 1) << "as even as can be";
}

/// The blocks of a pass write the output one after the other.
void check_parts(std::int64_t n, const row& of, int max_levels)
{
    const detail::merge_plan plan = detail::plan_merges(n, of.threads, of.items, max_levels);
    for (int i = 0; i < plan.count; ++i) {
        const detail::merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
        const detail::merge_task task{n, pass.run, pass.levels, pass.merged, pass.slack, pass.blocks_of_group,
                                      1, nullptr};
        const std::int64_t of_group = pass.run << pass.levels;
        ASSERT_LT(pass.blocks, std::int64_t{1} << 31) << "no grid has so many";
        std::int64_t at = 0;
        const auto check = [&](std::int64_t block) {
            const detail::part_of_group part(task, block);
            ASSERT_EQ(part.begin, at);
            ASSERT_EQ(part.group, at / of_group * of_group);
            ASSERT_EQ(part.end, std::min({at + pass.merged, part.group + of_group, n}));
            ASSERT_EQ(part.is_last, part.end == std::min(part.group + of_group, n));
            at = part.end;
        };
        const std::int64_t some = std::min<std::int64_t>(pass.blocks, 100);
        for (std::int64_t block = 0; block < some; ++block) ASSERT_NO_FATAL_FAILURE(check(block));
        // The last blocks, too.
        const std::int64_t last = std::max(some, pass.blocks - 100);
        if (last > some) at = last / pass.blocks_of_group * of_group + last % pass.blocks_of_group * pass.merged;
        for (std::int64_t block = last; block < pass.blocks; ++block) ASSERT_NO_FATAL_FAILURE(check(block));
        ASSERT_EQ(at, n);
        // Threads that search for splits beyond the last block find that there is nothing to do.
        ASSERT_GE(detail::part_of_group(task, pass.blocks).begin, n);
    }
}

void check(std::int64_t n, bool of_parts)
{
    for (const row& of : rows)
        for (int levels = 1; levels <= 5; ++levels) {
            SCOPED_TRACE("n " + std::to_string(n) + ", " + std::to_string(of.threads) + " threads of " +
                         std::to_string(of.items) + ", levels " + std::to_string(levels));
            ASSERT_NO_FATAL_FAILURE(check_plan(n, of, levels));
            if (!of_parts) continue;
            ASSERT_NO_FATAL_FAILURE(check_parts(n, of, levels));
        }
}

TEST(merge_plan, small_sizes)
{
    for (std::int64_t n = 1; n <= 3000; ++n) ASSERT_NO_FATAL_FAILURE(check(n, true));
}

TEST(merge_plan, sizes_around_tiles_runs_and_parts)
{
    for (const row& of : rows)
        for (int levels = 1; levels <= 5; ++levels)
            for (const std::int64_t runs : {1, 2, 3, 15, 16, 17, 31, 33, 255, 256, 257}) {
                const std::int64_t tile = std::int64_t{of.threads} * of.items;
                const std::int64_t merged = detail::merged_elements(of.threads, of.items, levels);
                for (const std::int64_t n : {runs * tile, runs * merged, runs * tile + merged})
                    for (const int difference : {-1, 0, 1}) {
                        SCOPED_TRACE("n " + std::to_string(n + difference) + ", levels " + std::to_string(levels));
                        ASSERT_NO_FATAL_FAILURE(check_plan(n + difference, of, levels));
                        ASSERT_NO_FATAL_FAILURE(check_parts(n + difference, of, levels));
                    }
            }
}

TEST(merge_plan, huge_sizes)
{
    for (int log2 = 20; log2 <= 47; ++log2)
        for (const int difference : {-12'345, -1, 0, 1, 7777})
            ASSERT_NO_FATAL_FAILURE(check((std::int64_t{1} << log2) + difference, log2 <= 35));
    ASSERT_NO_FATAL_FAILURE(check((std::int64_t{1} << 48) - 1, false));
    // With rows like the shipped ones, a grid is large enough for any amount that a GPU may ever hold.
    for (int log2 = 30; log2 <= 40; ++log2)
        for (int levels = 1; levels <= 5; ++levels)
            for (const int difference : {-1, 0, 1})
                ASSERT_NO_FATAL_FAILURE(check_parts((std::int64_t{1} << log2) + difference, {256, 32}, levels));
}

// 16 runs and one element: the last group has one run, and its block one element.
TEST(merge_plan, one_run_in_the_last_group)
{
    constexpr detail::merge_plan plan = detail::plan_merges(16 * 512 + 1, 64, 8, 3);
    static_assert(plan.tiles == 17 && plan.count == 2);
    static_assert(plan.passes[0].levels == 3 && plan.passes[0].merged == 480 - 2 * 7 && plan.passes[0].slack == 7);
    static_assert(plan.passes[0].blocks_of_group == 9 && plan.passes[0].blocks == 19);
    static_assert(plan.passes[1].levels == 2 && plan.passes[1].run == 4096);
    static_assert(plan.passes[1].merged == 496 - 2 * 7 && plan.passes[1].slack == 7);
    static_assert(plan.passes[1].blocks_of_group == 34 && plan.passes[1].blocks == 17);
    const detail::merge_pass& pass = plan.passes[0];
    const detail::part_of_group part(
        {16 * 512 + 1, pass.run, pass.levels, pass.merged, pass.slack, pass.blocks_of_group, 1, nullptr}, 18);
    EXPECT_EQ(part.group, 8192);
    EXPECT_EQ(part.begin, 8192);
    EXPECT_EQ(part.end, 8193);
    EXPECT_TRUE(part.is_last);
}

}  // namespace
