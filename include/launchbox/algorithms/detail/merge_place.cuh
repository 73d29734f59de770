// launchbox: the one pass of a small merge sort, in which each element finds its own place. Internal: include
// merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// An element's place in the result is its place in its tile plus the number of elements of the other tiles that come
// before it, which binary searches count. This takes more comparisons than a merge, but few of them depend on each
// other, and it needs no splits, no shared memory and no barriers. Neighbouring threads have neighbouring elements,
// which are compared with neighbouring elements of the other tiles.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_order.cuh>
#include <launchbox/algorithms/detail/merge_shape.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// How many threads find the place of an element, and how many tiles each of them searches at once.
inline constexpr int threads_of_place = 8, tiles_at_once = 2;
inline constexpr int max_placed_tiles = 32;  ///< a warp checks all their borders at once

/// Whether all tiles together rise, or fell, if each of them does. Called by all threads of a warp.
template <class Key, class Less>
__device__ __forceinline__ possible_order order_of_few_tiles(const Key* keys, int tile, int n,
                                                             const sort_findings& findings, const Less& less)
{
    possible_order order = final_order_of_tiles(findings);
    const int border = static_cast<int>(threadIdx.x) % max_placed_tiles;
    if (border > 0 && border * tile < n) order = order_at_border(keys, border, tile, n, order, less);
    return {__all_sync(~0u, order.rises) != 0, __all_sync(~0u, order.falls) != 0};
}

/// Writes element `thread` / threads_of_place of `n` to its place in the result. The sorted tiles have `tile` elements,
/// a power of two. Called by all threads of a warp, the last of which may have no element.
template <class Shape>
__device__ __forceinline__ void place_element(const merge_arrays<Shape>& in, const merge_arrays<Shape>& out, int n,
                                              int tile, const sort_findings& findings, int thread,
                                              const typename Shape::compare& compare)
{
    const kept_order<Shape> less{compare};
    // Before the wait: if tiles are not in order, that is usually known by now, and does not change.
    possible_order order = order_of_tiles(findings);
    wait_for_grid_ahead();
    if (order.any()) order = order_of_few_tiles(in.keys, tile, n, findings, less);
    const int element = thread / threads_of_place, share = thread % threads_of_place;
    const int at = element < n ? element : n - 1, own = at / tile, begin = own * tile;
    const typename Shape::kept_key key = Shape::keep(in.keys[at]);
    int place = at - begin;
    if (order.rises) place = at;
    if (order.falls) place += n - min(begin + tile, n);
    if (share != 0) place = 0;
#pragma unroll 1
    for (int first = share; first * tile < n && !order.any(); first += threads_of_place * tiles_at_once) {
        raw_array<int, tiles_at_once> before, count;
#pragma unroll
        for (int i = 0; i < tiles_at_once; ++i) {
            const int other = first + i * threads_of_place;
            before[i] = 0;
            count[i] = other == own ? 0 : max(0, min(n - other * tile, tile));
        }
#pragma unroll 1
        for (int step = tile; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < tiles_at_once; ++i) {
                const int other = first + i * threads_of_place, next = before[i] + step;
                const bool is_there = next <= count[i], is_earlier = other < own;
                const typename Shape::kept_key there = Shape::keep(in.keys[is_there ? other * tile + next - 1 : at]);
                // Of equal elements the one in the earlier tile comes first.
                const bool is_less = less(is_earlier ? key : there, is_earlier ? there : key);
                before[i] = (is_there & (is_less != is_earlier)) ? next : before[i];
            }
#pragma unroll
        for (int i = 0; i < tiles_at_once; ++i) place += before[i];
    }
#pragma unroll
    for (int lane = 1; lane < threads_of_place; lane *= 2) place += shuffle_xor<32>(place, lane);
    if (element >= n || share != 0) return;
    out.keys[place] = Shape::given(key);
    if constexpr (Shape::has_values) out.values[place] = in.values[at];
}

}  // namespace launchbox::detail
