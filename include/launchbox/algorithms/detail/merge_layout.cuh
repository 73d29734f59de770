// launchbox: where the runs of a tile are in the shared memory of a block, so that merging has no bank conflicts.
// Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// A tile has threads * items slots, in rows of `items`. The runs 0, 1, 2, ... are merged in pairs (0, 1), (2, 3), ...
// The even runs lie from the first slot upwards, the odd runs from the last slot downwards. 4 threads, 4 items, 4 runs
// of 4 elements:
//
//     slot       0   1   2   3     4   5   6   7     8   9  10  11    12  13  14  15
//     element   a0  a1  a2  a3    c0  c1  c2  c3    d3  d2  d1  d0    b3  b2  b1  b0
//               run 0, upwards    run 2, upwards    run 3, downwards  run 1, downwards
//     word       0   1   2   3     5   6   7   8    10  11  12  13    15  16  17  18    4, 9, 14 and 19 are free
//
// Thread t makes the elements [t * items, (t + 1) * items) of all results. They belong to one pair, since the result of
// every pair is padded to whole rows. The diagonal t * items of the pair partitions both runs: left of it are the
// elements of the threads before t. Say thread 0 makes a0 a1 b0 b1, from the slots 0, 1 and 14, 15. A thread's part of
// the even run ends at the residue (slot modulo items) at which its part of the odd run begins. So a thread has each
// residue exactly once, and a warp has each residue modulo 32 * items exactly once. All threads read their slot of
// residue 0, then that of residue 1, and so on: each time from 32 different banks, because the free word behind each
// row makes all rows an odd number of words apart. The elements that a thread has read, taken as a circle, rise once
// and fall once: a bitonic sequence, which a bitonic network sorts in registers. The layout is that of the
// conflict-free merge sort of Berney and Sitchinava (2022); the network makes their rotation unnecessary.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <launchbox/algorithms/detail/merge_plan.hpp>
#include <launchbox/algorithms/detail/merge_shape.cuh>
#include <launchbox/algorithms/detail/merge_split_by_block.cuh>

namespace launchbox::detail {

template <int PowerOfTwo>
inline constexpr int bits_of = std::bit_width(static_cast<unsigned>(PowerOfTwo)) - 1;

/// The word of a slot: one word is left free behind every row.
template <int Items>
__device__ __forceinline__ constexpr int padded(int slot)
{
    return slot + (slot >> bits_of<Items>);  // not a division, which would round towards 0
}

/// The bounds of the runs whose parts a block merges. Padding behind the second run of each pair makes the result of
/// every pair, on every level, whole rows of `items` elements.
struct run_bounds {
    static constexpr int max_runs = 1 << max_merge_levels;
    std::int64_t source[max_runs];  ///< element i of the block is element source[run] + i of the input
    std::int64_t begin;             ///< of the block's part of the output
    int ends[max_runs + 1];         ///< of the runs' parts, concatenated
    int padded_ends[max_runs + 1];  ///< the same with padding
    int left_before[max_merge_levels + 1]
                   [max_runs / 2];  ///< by level and pair: even runs' elements, padded, before the pair
    int splits[2][max_runs];        ///< where the block's part begins and ends in the runs

    /// The run that element `element` of the block belongs to; called by all threads of a warp.
    __device__ __forceinline__ int run_of(int element, int runs) const
    {
        const int run = static_cast<int>(threadIdx.x) % 32;
        return __popc(__ballot_sync(~0u, run < runs && ends[run + 1] <= element));
    }
};

/// Where the parts of a block's shared memory begin, in bytes.
struct merge_layout {
    std::size_t bounds, left_begin, keys, values, all;
};

constexpr std::size_t in_16_bytes(std::size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/// The memory of slots with an element of `element_bytes` each; also enough for the results of a search.
constexpr std::size_t bytes_of_slots(int threads, int items, std::size_t element_bytes)
{
    const std::size_t bytes = static_cast<std::size_t>(threads * items + threads) * element_bytes,
                      found = sizeof(found_parts<run_bounds::max_runs>);
    return in_16_bytes(bytes > found ? bytes : found);
}

template <class Shape>
constexpr merge_layout layout_of(int threads, int items)
{
    merge_layout layout{};
    // Before the keys: merge_one_by_one reads, and ignores, the word before the first key.
    layout.left_begin = in_16_bytes(sizeof(run_bounds));
    const std::size_t first = layout.left_begin + in_16_bytes(static_cast<std::size_t>(threads) * sizeof(int)),
                      of_keys = bytes_of_slots(threads, items, sizeof(typename Shape::kept_key)),
                      of_places = bytes_of_slots(threads, items, sizeof(unsigned)),
                      of_values = Shape::values_are_places
                                      ? of_places
                                      : in_16_bytes(static_cast<std::size_t>(threads * items + threads) *
                                                    sizeof(typename Shape::kept_value));
    layout.keys = first + (Shape::values_are_places ? of_values : 0);
    layout.values = Shape::values_are_places ? first : first + of_keys;
    layout.all = first + of_keys + (Shape::has_values ? of_values : 0);
    return layout;
}

/// The shared memory of a block for the keys and values of a tile.
template <class Shape>
constexpr std::int64_t tile_shared_bytes(int threads, int items)
{
    return static_cast<std::int64_t>(layout_of<Shape>(threads, items).all);
}

/// The shared memory of a block that sorts a tile or merges runs. A sort by words needs a word or a place, and a key or
/// a value, for each slot, which may be less than keys and values.
template <class Shape>
constexpr std::int64_t merge_shared_bytes(int threads, int items)
{
    if (!sorts_by_words<Shape>(threads, items)) return tile_shared_bytes<Shape>(threads, items);
    using key = typename Shape::kept_key;
    using value = typename Shape::kept_value;
    const std::size_t larger = sizeof(key) > sizeof(value) ? sizeof(key) : sizeof(value);
    return tile_shared_bytes<shape_of_words<64, 2>>(threads, items) +
           static_cast<std::int64_t>(bytes_of_slots(threads, items, larger));
}

/// A block's shared memory.
template <class Shape>
struct merge_memory {
    static constexpr merge_layout layout = layout_of<Shape>(Shape::threads, Shape::items);

    unsigned char* memory;

    __device__ __forceinline__ typename Shape::kept_key* keys() const
    {
        return reinterpret_cast<typename Shape::kept_key*>(memory + layout.keys);
    }
    __device__ __forceinline__ typename Shape::kept_value* values() const
    {
        return reinterpret_cast<typename Shape::kept_value*>(memory + layout.values);
    }
    /// Uses the memory of the keys before it holds any.
    __device__ __forceinline__ found_parts<run_bounds::max_runs>& found() const
    {
        return *reinterpret_cast<found_parts<run_bounds::max_runs>*>(memory + layout.keys);
    }
    /// The slot where each thread's part of its left run begins.
    __device__ __forceinline__ int* left_begin() const { return reinterpret_cast<int*>(memory + layout.left_begin); }
    __device__ __forceinline__ run_bounds& bounds() const
    {
        return *reinterpret_cast<run_bounds*>(memory + layout.bounds);
    }
    __device__ __forceinline__ const typename Shape::kept_key& key_in(int slot) const
    {
        return keys()[padded<Shape::items>(slot)];
    }
};

}  // namespace launchbox::detail
