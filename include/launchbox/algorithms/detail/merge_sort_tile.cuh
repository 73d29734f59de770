// launchbox: what a block of the first kernel of a merge sort does: it sorts a tile. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>

namespace launchbox::detail {

/// Sorts the tile number `tile` of `n` elements.
template <class Shape>
__device__ __forceinline__ void sort_tile(unsigned char* shared, const merge_arrays<Shape>& in,
                                          const merge_arrays<Shape>& out, std::int64_t n, std::int64_t tile,
                                          const typename Shape::compare& compare)
{
    const merge_memory<Shape> memory{shared};
    const kept_order<Shape> less{compare};
    const int thread = static_cast<int>(threadIdx.x), first = thread * Shape::items;
    const std::int64_t begin = tile * Shape::tile;
    const int count = n - begin < Shape::tile ? static_cast<int>(n - begin) : Shape::tile;
    thread_items<Shape> items;
    raw_array<unsigned, Shape::items> tags;
    if (!Shape::is_stable && count == Shape::tile) {
        // Nobody sees which of equal keys was where, so that each thread takes what it can read in step with others.
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) items.keys[i] = in.keys[begin + thread + i * Shape::threads];
    } else {
        read_tile(memory, in, begin, count);
        __syncthreads();
        if (count < Shape::tile) {
            fill_tile(memory, count, less);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) {
            items.keys[i] = memory.keys()[padded<Shape::items>(first) + i];
            tags[i] = static_cast<unsigned>(i);
        }
        if constexpr (!Shape::has_values) __syncthreads();
    }
    sort_items<network::sort, thirds_by_sum::of_sort>(items, tags, less);
    if constexpr (Shape::has_values) {
        // Not through the network with their keys, which takes longer, and registers.
#pragma unroll
        for (int i = 0; i < Shape::items; ++i)
            items.values[i] = memory.values()[padded<Shape::items>(first) + static_cast<int>(tags[i])];
        __syncthreads();
    }
    const equal_runs<Shape> single{Shape::items_bits - 1};
    put_items(memory, items, single, first);
    wait_for_threads(single.writes_within_warp());
    // Once a run holds all there is, the first one is the result, and where it should be.
#pragma unroll 1
    for (int bits = Shape::items_bits; (1 << bits) < Shape::tile && (1 << bits) < count; ++bits)
        merge_pairs(memory, items, equal_runs<Shape>{bits}, less);
    let_next_grid_begin();
    __syncthreads();
    write_tile(memory, out, begin, count);
}

}  // namespace launchbox::detail
