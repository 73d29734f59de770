// launchbox: how many passes a merge sort takes, and which runs each merges. Plain C++. Internal: include
// merge_sort.cuh. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace launchbox::detail {

/// Merging 2^levels runs into one halves the memory traffic of a pass per level; a block holds the ends of so many
/// runs.
inline constexpr int most_merge_levels = 4;

/// One pass: each group of 2^levels neighbouring runs of `run` elements becomes one run.
struct merge_pass {
    std::int64_t run = 0;
    int levels = 0;
};

/// Tiles of `tile` elements are sorted by themselves, then merged by `count` passes of at most 2^most levels each, as
/// even as can be: a pass of many levels costs more than one of few.
struct merge_plan {
    std::int64_t tiles = 0;
    int count = 0;
    std::array<merge_pass, 64> passes{};
};

constexpr merge_plan plan_merges(std::int64_t n, std::int64_t tile, int most_levels)
{
    merge_plan plan{.tiles = (n + tile - 1) / tile};
    const int levels =
        plan.tiles < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(plan.tiles - 1)));
    const int most = std::clamp(most_levels, 1, most_merge_levels);
    plan.count = (levels + most - 1) / most;
    std::int64_t run = tile;
    for (int i = 0; i < plan.count; ++i) {
        const int of_pass = levels / plan.count + (i < levels % plan.count ? 1 : 0);
        plan.passes[static_cast<std::size_t>(i)] = {run, of_pass};
        run <<= of_pass;
    }
    return plan;
}

/// Where each tile of the output of a pass begins in each of the runs that it comes from: 2^levels numbers a tile.
constexpr std::int64_t splits_of(const merge_plan& plan)
{
    int most = 0;
    for (int i = 0; i < plan.count; ++i) most = std::max(most, plan.passes[static_cast<std::size_t>(i)].levels);
    return plan.count == 0 ? 0 : plan.tiles << most;
}

}  // namespace launchbox::detail
