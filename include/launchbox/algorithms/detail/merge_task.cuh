// launchbox: a merge pass, and where each block's part of its output begins in the runs. Internal: include
// merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_order.cuh>
#include <launchbox/algorithms/detail/merge_plan.hpp>
#include <launchbox/algorithms/detail/merge_shape.cuh>
#include <launchbox/algorithms/detail/merge_split.cuh>

namespace launchbox::detail {

/// A pass of a merge sort, for the device: each group of 2^levels runs of `run` elements becomes one run; each block
/// makes `merged` elements of it, the last of a group possibly fewer. See merge_pass.
struct merge_task {
    std::int64_t n;
    std::int64_t run;
    int levels;
    int merged;
    int slack;
    std::int64_t blocks_of_group;
    int pass;  ///< its number, 1 to 64
    /// Where the parts begin in each of their runs: 2^levels words of found_split for each block. Null if each block
    /// finds its own splits, which needs groups of fewer than 2^31 elements.
    std::int64_t* splits;
    std::int64_t tile = 0;  ///< elements of the tiles that were sorted first
    sort_findings findings{};
    pass_action if_rising = pass_action::nothing, if_falling = pass_action::nothing;
    bool is_last = false;  ///< it writes to the user's array
};

/// find_splits has 2^levels_of_search threads for each split.
__host__ __device__ constexpr int levels_of_search(int levels)
{
    return levels < min_searched_levels ? min_searched_levels : levels;
}

/// Pass `i`, from 0, of a sort of `n` elements. `of_floats`: it sorts words, and the last kernel turns them into keys.
inline merge_task task_of(const merge_plan& plan, int i, std::int64_t n, bool of_floats, std::int64_t* splits,
                          const sort_findings& findings)
{
    const merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
    const bool is_first = i == 0, is_last = i + 1 == plan.count, is_odd = plan.count % 2 != 0;
    merge_task task{n, pass.run, pass.levels, pass.merged, pass.slack, pass.blocks_of_group, i + 1, nullptr};
    if (!plan.blocks_find_splits) task.splits = splits;
    task.tile = plan.passes[0].run;
    task.findings = findings;
    task.is_last = is_last;
    // The tiles are in the user's array if the number of passes is even, otherwise in the other one.
    if (is_last) task.if_rising = is_odd ? pass_action::copy : of_floats ? pass_action::convert : pass_action::nothing;
    if (is_odd ? is_last : is_first)
        task.if_falling = pass_action::reverse;
    else if (is_last)
        task.if_falling = pass_action::copy;
    return task;
}

/// The threads of find_splits for a pass.
inline std::int64_t threads_of_search(const merge_plan& plan, int i)
{
    const merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
    return pass.blocks << levels_of_search(pass.levels);
}

/// A split as a word of global memory that one kernel writes and the next one waits for. The pass number in its upper
/// bits shows whether it has been written. There are fewer than 2^48 elements.
struct found_split {
    static constexpr int bits = 56;

    static __device__ __forceinline__ std::int64_t word(std::int64_t split, int pass)
    {
        return split | static_cast<std::int64_t>(pass) << bits;
    }
    static __device__ __forceinline__ bool is_there(std::int64_t word, int pass) { return word >> bits == pass; }
    static __device__ __forceinline__ std::int64_t of(std::int64_t word)
    {
        return word & ((std::int64_t{1} << bits) - 1);
    }
};

__device__ __forceinline__ std::int64_t length_of_run(const merge_task& task, std::int64_t begin)
{
    const std::int64_t left = task.n - begin;
    return left < 0 ? 0 : left < task.run ? left : task.run;
}

/// How many of the elements before element `at` of the output, within its group of runs, come from run `lane` of the
/// group. Called by all threads of a warp; each 2^levels of them work on one element.
template <int MaxLevels, class Offset, class Shape, class Less>
__device__ __forceinline__ std::int64_t split_at(int levels, const merge_task& task, const typename Shape::key* keys,
                                                 std::int64_t at, const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) & ((1 << levels) - 1);
    const std::int64_t of_group = task.run << task.levels, group = at / of_group * of_group;
    const std::int64_t begin = group + lane * task.run;
    const std::int64_t length = lane >> task.levels == 0 ? length_of_run(task, begin) : 0;
    const typename Shape::key* run = keys + (length > 0 ? begin : 0);
    return split_runs<levels_of_search(MaxLevels), Offset>(levels, run, static_cast<Offset>(length),
                                                           static_cast<Offset>(at - group),
                                                           static_cast<Offset>(task.slack), less);
}

/// The elements of the output that a block makes, and the group of runs that they belong to.
struct part_of_group {
    std::int64_t group, begin, end;
    bool is_last;  ///< of its group

    __device__ __forceinline__ part_of_group(const merge_task& task, std::int64_t block)
    {
        // A 64-bit division would take longer than the rest of this function.
        const auto number = static_cast<unsigned>(block), blocks = static_cast<unsigned>(task.blocks_of_group);
        const std::int64_t of_group = number / blocks, within = number % blocks;
        group = of_group * (task.run << task.levels);
        begin = group + within * task.merged;
        end = begin + task.merged;
        const std::int64_t end_of_group = group + (task.run << task.levels);
        const std::int64_t end_of_runs = end_of_group < task.n ? end_of_group : task.n;
        is_last = end >= end_of_runs;
        end = is_last ? end_of_runs : end;
    }
};

/// Checks the border before tile `tile`, if there is one, and records if it is not in order.
template <class Shape, class Less>
__device__ __forceinline__ void record_border(const merge_task& task, const typename Shape::key* keys,
                                              std::int64_t tile, const possible_order& order, const Less& less)
{
    if (tile < 1 || tile * task.tile >= task.n) return;
    const possible_order found = order_at_border(keys, tile, task.tile, task.n, order, less);
    rule_out_orders(task.findings.words->borders, {found.rises || !order.rises, found.falls || !order.falls},
                    task.findings.number);
}

/// Finds the splits at the beginnings of all blocks' parts, with 2^levels_of_search threads each.
template <int MaxLevels, class Shape>
__device__ __forceinline__ void find_splits(const merge_task& task, const typename Shape::key* keys,
                                            std::int64_t thread, const typename Shape::compare& compare)
{
    // The next kernel may begin now: each of its blocks waits only for its own splits, most of which are found long
    // before the last.
    wait_for_grid_ahead();
    let_next_grid_begin();
    const auto less = order_of_search<Shape>(compare);
    const int levels = levels_of_search(task.levels);
    const std::int64_t block = thread >> levels, at = part_of_group(task, block).begin;
    const std::int64_t in_range = at < task.n ? at : 0;  // all threads of a warp search
    const bool is_first = task.pass == 1;
    const possible_order order = order_of_tiles(task.findings);
    if (!is_first && order.any() && order_of_all(task.findings).any()) return;  // nothing is merged
    // Also if 32 bits would do: that takes as long, and needs no second copy of the code.
    const std::int64_t split = split_at<MaxLevels, std::int64_t, Shape>(levels, task, keys, in_range, less);
    const std::int64_t run = thread - (block << levels);
    if (at < task.n && run >> task.levels == 0)
        publish_word(task.splits + (block << task.levels) + run, found_split::word(split, task.pass));
    if (is_first && order.any()) record_border<Shape>(task, keys, thread, order, less);
}

}  // namespace launchbox::detail
