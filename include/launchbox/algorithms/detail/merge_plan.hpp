// launchbox: how many passes a merge sort takes, and which runs each merges. Plain C++. Internal: include
// merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace launchbox::detail {

/// The most levels of a pass, which merges 2^levels runs into one: each more level saves a pass over memory. A block
/// keeps the bounds of that many runs.
inline constexpr int max_merge_levels = 5;

/// Up to this many tiles, each block of a pass finds where its part begins and ends in the runs. That takes longer than
/// reading the splits, but saves a launch. The tiles have fewer than 2^31 elements, since a tile fits into shared
/// memory.
inline constexpr std::int64_t max_tiles_without_find = 1024;

/// The slack of a block's part, by which it may begin and end earlier or later, as a fraction: 1 / result of its
/// elements. With more slack a search ends sooner, but parts are smaller and there are more blocks. If the blocks just
/// fit on the GPU at once, a few more would run as a second wave.
constexpr int share_of_slack(std::int64_t tiles, bool blocks_find_splits)
{
    return !blocks_find_splits ? 256 : tiles > 256 ? 160 : 64;
}

/// How many elements a block of a pass makes: its slots minus a row of `items` for each pair of runs, since the result
/// of a pair is padded to whole rows.
constexpr int merged_elements(int threads, int items, int levels)
{
    return (threads - (1 << levels) / 2) * items;
}

/// One pass: each group of 2^levels neighbouring runs of `run` elements becomes one run.
struct merge_pass {
    std::int64_t run = 0;
    int levels = 0;
    int merged = 0;  ///< elements of the output that a block makes; the last one of a group may make fewer
    int slack = 0;   ///< the part may begin and end up to this many elements earlier or later
    std::int64_t blocks_of_group = 0;  ///< the last group may have fewer
    std::int64_t blocks = 0;
};

constexpr std::int64_t divided_up(std::int64_t count, std::int64_t by)
{
    return (count + by - 1) / by;
}

/// Sets the blocks of a pass over `n` elements; each makes `pass.merged` of them.
constexpr void count_blocks(merge_pass& pass, std::int64_t n)
{
    const std::int64_t of_group = pass.run << pass.levels;
    pass.blocks_of_group = divided_up(of_group, pass.merged);
    pass.blocks = n / of_group * pass.blocks_of_group + divided_up(n % of_group, pass.merged);
}

/// Each tile of `threads` * `items` elements is sorted, then `count` passes of at most `max_levels` levels each merge
/// the tiles. Levels are spread evenly over the passes, since a pass with more levels costs more.
struct merge_plan {
    std::int64_t tiles = 0;
    bool blocks_find_splits = false;
    int count = 0;
    std::array<merge_pass, 64> passes{};
};

constexpr merge_plan plan_merges(std::int64_t n, int threads, int items, int max_levels,
                                 std::int64_t max_tiles = max_tiles_without_find)
{
    const std::int64_t tile = std::int64_t{threads} * items;
    merge_plan plan{.tiles = divided_up(n, tile)};
    plan.blocks_find_splits = plan.tiles <= max_tiles;
    const int levels =
        plan.tiles < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(plan.tiles - 1)));
    const int max_pass_levels = std::clamp(max_levels, 1, max_merge_levels);
    plan.count = (levels + max_pass_levels - 1) / max_pass_levels;
    std::int64_t run = tile;
    for (int i = 0; i < plan.count; ++i) {
        merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
        pass.run = run;
        pass.levels = levels / plan.count + (i < levels % plan.count ? 1 : 0);
        pass.merged = merged_elements(threads, items, pass.levels);
        pass.slack = pass.merged / share_of_slack(plan.tiles, plan.blocks_find_splits);
        pass.merged -= 2 * pass.slack;
        count_blocks(pass, n);
        run <<= pass.levels;
    }
    return plan;
}

/// How many splits a pass needs at most. For each block they say where its part of the output begins in each of its
/// 2^levels runs.
constexpr std::int64_t splits_of(const merge_plan& plan)
{
    std::int64_t count = 0;
    if (plan.blocks_find_splits) return count;
    for (int i = 0; i < plan.count; ++i) {
        const merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
        count = std::max(count, pass.blocks << pass.levels);
    }
    return count;
}

}  // namespace launchbox::detail
