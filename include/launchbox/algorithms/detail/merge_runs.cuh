// launchbox: where the sorted runs of a tile lie before and after a level of merging. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/algorithms/detail/merge_layout.cuh>

namespace launchbox::detail {

/// Two runs to merge: `left_count` elements from slot `left_slot` upwards, and `right_count` elements from slot
/// `right_slot` downwards. Their result begins at element `begin` of all results in the tile.
struct merge_pair {
    int begin;
    int left_slot, left_count;
    int right_slot, right_count;

    __device__ __forceinline__ int end() const { return begin + left_count + right_count; }
};

/// Runs of 2^width_bits elements that fill the tile.
template <class Shape>
struct equal_runs {
    static constexpr bool are_equal = true;
    int width_bits;

    __device__ __forceinline__ merge_pair pair_at(int element) const
    {
        const int pair = element >> (width_bits + 1), width = 1 << width_bits, before = pair << width_bits;
        return {pair << (width_bits + 1), before, width, Shape::tile - 1 - before, width};
    }
    // The slot of an element of the result, in the layout for runs of twice the width.
    __device__ __forceinline__ int slot_after(int element) const
    {
        const int result = element >> (width_bits + 1), width = 2 << width_bits;
        const int slot = (result / 2) * width + (element & (width - 1));
        return result % 2 == 0 ? slot : Shape::tile - 1 - slot;
    }
    __device__ __forceinline__ bool is_right_after(int element) const { return (element >> (width_bits + 1)) % 2 != 0; }
    __device__ __forceinline__ int first_step(const merge_pair&) const { return 1 << width_bits; }
    // Whether no other warp reads, or writes, the slots that this warp uses: then it only waits for its own threads.
    __device__ __forceinline__ bool reads_within_warp() const { return 2 << width_bits <= 32 * Shape::items; }
    __device__ __forceinline__ bool writes_within_warp() const { return 4 << width_bits <= 32 * Shape::items; }
};

/// Runs of any lengths, given by the block's bounds, for a thread whose elements begin at `first`.
template <class Shape>
struct uneven_runs {
    static constexpr bool are_equal = false;
    const run_bounds& bounds;
    int level, levels;
    int pair;  ///< the pair that the thread's elements belong to

    __device__ __forceinline__ uneven_runs(const run_bounds& bounds_of_block, int levels_of_pass, int first)
        : bounds(bounds_of_block), level(0), levels(levels_of_pass), pair(0)
    {
        for (int step = 1 << (levels - 1); step > 0; step /= 2)
            if (pair + step < 1 << (levels - 1) && bounds.padded_ends[2 * (pair + step)] <= first) pair += step;
    }
    __device__ __forceinline__ void next_level() { ++level, pair /= 2; }
    __device__ __forceinline__ merge_pair pair_at(int) const
    {
        const int run = (2 * pair) << level, next = run + (1 << level), end = next + (1 << level);
        const int begin = bounds.padded_ends[run], before = bounds.left_before[level][pair];
        // A sort that need not be stable merges the padding like keys, since it holds a key after all others; a stable
        // one leaves it out.
        const int* const ends = Shape::is_stable ? bounds.ends : bounds.padded_ends;
        return {begin, before, ends[next] - ends[run], Shape::tile - 1 - (begin - before), ends[end] - ends[next]};
    }
    __device__ __forceinline__ int first_step(const merge_pair& pair_of_thread) const
    {
        const int shorter = min(pair_of_thread.left_count, pair_of_thread.right_count);
        return shorter == 0 ? 0 : 1 << (31 - __clz(shorter));
    }
    __device__ __forceinline__ int slot_after(int element) const
    {
        const int run = (2 * pair) << level, next = pair / 2;
        const int within = element - bounds.padded_ends[run], before = bounds.left_before[level + 1][next];
        if (pair % 2 == 0) return before + within;
        return Shape::tile - 1 - (bounds.padded_ends[(4 * next) << level] - before) - within;
    }
    __device__ __forceinline__ bool is_right_after(int) const { return pair % 2 != 0; }
    __device__ __forceinline__ bool reads_within_warp() const { return false; }
    __device__ __forceinline__ bool writes_within_warp() const { return false; }
};

}  // namespace launchbox::detail
