// launchbox: what a block of the first kernel of a merge sort does: it sorts a tile. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>
#include <launchbox/algorithms/detail/merge_words.cuh>

namespace launchbox::detail {

/// What a tile is already.
enum class tile_order { none, rising, falling };

/// One of 32 elements of a full tile, by which each warp sees what order it may have.
template <class Shape>
inline constexpr int sample_stride = (Shape::tile - 1) / 31;

/// Whether a full tile is in order, or strictly in the opposite order, so that it only needs a copy. Called by all
/// threads; `key_at` is element number i, `sample` that of this lane's stride. Hardly any tile passes by accident.
template <class Shape, class KeyAt>
__device__ __forceinline__ tile_order order_of_tile(const KeyAt& key_at, const typename Shape::kept_key& sample,
                                                    const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    const auto next = shuffle_from(sample, lane < 31 ? lane + 1 : 31);
    const unsigned falling = __ballot_sync(~0u, lane < 31 && less(next, sample));
    const bool falls = falling == ~0u >> 1;
    if (!falls && falling != 0) return tile_order::none;  // the same in all warps
    bool is_other = false;
#pragma unroll 1
    for (int i = thread; i + 1 < Shape::tile; i += Shape::threads) is_other |= less(key_at(i + 1), key_at(i)) != falls;
    if (__syncthreads_or(is_other) != 0) return tile_order::none;
    return falls ? tile_order::falling : tile_order::rising;
}

/// Copies a full tile, in the opposite order where it falls. The sort may be in place: an element and the one that
/// it is exchanged with are read together.
template <class Shape>
__device__ __forceinline__ void copy_tile(const merge_arrays<Shape>& in, const merge_arrays<Shape>& out,
                                          std::int64_t begin, bool falls)
{
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < Shape::tile / 2; i += Shape::threads) {
        const std::int64_t first = begin + i, second = begin + Shape::tile - 1 - i;
        const std::int64_t first_to = falls ? second : first, second_to = falls ? first : second;
        const auto key = in.keys[first], other_key = in.keys[second];
        out.keys[first_to] = key;
        out.keys[second_to] = other_key;
        if constexpr (Shape::has_values) {
            using value_type = typename Shape::value;
            const auto value = in.values ? in.values[first] : static_cast<value_type>(index_value<value_type>(first));
            const auto other = in.values ? in.values[second] : static_cast<value_type>(index_value<value_type>(second));
            out.values[first_to] = value;
            out.values[second_to] = other;
        }
    }
}

/// Whether tiles in order are looked for. Integers alone are sorted so fast that it would take a few percent of the
/// sort, but for large tiles of small ones.
template <class Shape>
inline constexpr bool looks_for_tile_order = Shape::is_stable ||
                                             (Shape::items >= 32 && sizeof(typename Shape::kept_key) <= 4);

/// Sorts in shared memory the `count` elements of a tile from `begin` on, more than none. With `Copies` a tile that is
/// in order is copied to `out` instead, and the result is false.
template <bool Copies, class Shape>
__device__ __forceinline__ bool sort_in_memory(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in,
                                               const merge_arrays<Shape>& out, std::int64_t begin, int count,
                                               const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x), first = thread * Shape::items;
    // If the tile is in order it is copied, and true.
    const auto copies = [&](const auto& key_at, const typename Shape::kept_key& sample) {
        const tile_order order = order_of_tile<Shape>(key_at, sample, less);
        if (order == tile_order::none) return false;
        copy_tile<Shape>(in, out, begin, order == tile_order::falling);
        let_next_grid_begin();
        return true;
    };
    thread_items<Shape> items;
    raw_array<unsigned, Shape::items> tags;
    const int sampled = thread % 32 * sample_stride<Shape>;
    [[maybe_unused]] raw_array<typename Shape::kept_key, 1> sample;
    const auto key_at = [&](int i) { return static_cast<typename Shape::kept_key>(in.keys[begin + i]); };
    if constexpr (!Shape::is_stable) {
        // Nobody sees which of equal keys was where, so that each thread takes what it can read in step with others.
        if (count == Shape::tile) {
            if constexpr (Copies && looks_for_tile_order<Shape>) sample[0] = key_at(sampled);
#pragma unroll
            for (int i = 0; i < Shape::items; ++i) items.keys[i] = key_at(thread + i * Shape::threads);
        } else {
            // So that the first threads have all there is.
            const int apart = (count + Shape::items - 1) >> Shape::items_bits;
            const int end = thread < apart ? count : 0;
#pragma unroll
            for (int i = 0; i < Shape::items; ++i) {
                items.keys[i] = last_key<Shape>();
                if (thread + i * apart < end) items.keys[i] = key_at(thread + i * apart);
            }
        }
    } else {
        read_tile(memory, in, begin, count);
        __syncthreads();
        if (count == Shape::tile) {
            const auto key_in = [&](int i) { return memory.key_in(i); };
            if constexpr (Copies && Shape::is_stable)
                if (copies(key_in, key_in(sampled))) return false;
        } else {
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
    if constexpr (Copies && !Shape::is_stable && looks_for_tile_order<Shape>)
        if (count == Shape::tile && copies(key_at, sample[0]))
            return false;  // not before: all keys would wait for the sample
    if constexpr (Shape::has_values) {
        // Not through the network with their keys, which takes longer, and registers.
#pragma unroll
        for (int i = 0; i < Shape::items; ++i)
            items.values[i] = memory.values()[padded<Shape::items>(first) + static_cast<int>(tags[i])];
        __syncthreads();
    }
    merge_sorted_items(memory, items, count, less);
    return true;
}

/// The same of pairs by words, where an element is the next of those of this thread.
template <class Shape>
__device__ __forceinline__ void sort_tile_by_words(unsigned char* shared, const merge_arrays<Shape>& in,
                                                   const merge_arrays<Shape>& out, std::int64_t begin, int count,
                                                   const typename Shape::compare& compare)
{
    using words = shape_of_words<Shape::threads, Shape::items>;
    using number = key_number<Shape>;
    constexpr int threads = Shape::threads, n = Shape::items, warps = threads / 32;
    const word_memory<Shape> memory{shared};
    const merge_memory<words> of_words{shared};
    const int thread = static_cast<int>(threadIdx.x);
    const auto copy = [&](auto* to, const auto* from) {
        constexpr bool is_asynchronous =
            copies_asynchronously<std::remove_reference_t<decltype(*to)>, std::remove_cvref_t<decltype(*from)>>;
        if (count == Shape::tile) {
            copy_elements<n, threads, is_asynchronous>(to + thread, threads, from + begin + thread);
            if constexpr (is_asynchronous) wait_for_copies();
        } else {
#pragma unroll 1
            for (int i = thread; i < count; i += threads)
                to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(from[begin + i]);
        }
        __syncthreads();
    };
    copy(memory.keys(), in.keys);
    const kept_order<Shape> less{compare};
    if (count == Shape::tile) {
        const auto key_at = [&](int i) { return memory.keys()[i]; };
        const tile_order order = order_of_tile<Shape>(key_at, key_at(thread % 32 * sample_stride<Shape>), less);
        if (order != tile_order::none) {
            copy_tile<Shape>(in, out, begin, order == tile_order::falling);
            let_next_grid_begin();
            return;
        }
    }
    auto low = ~typename number::type{0}, high = typename number::type{0};
#pragma unroll
    for (int i = 0; i < n; ++i)
        if (thread + i * threads < count) {
            const auto own = number::of(memory.keys()[thread + i * threads]);
            low = own < low ? own : low;
            high = high < own ? own : high;
        }
    low = lowest_of_warp(low);
    high = ~lowest_of_warp(~high);
    auto* const of_warps = reinterpret_cast<typename number::type*>(of_words.left_begin());
    if (thread % 32 == 0) {
        of_warps[thread / 32] = low;
        of_warps[warps + thread / 32] = high;
    }
    __syncthreads();
    const word_scale<Shape> scale(of_warps[thread % warps], of_warps[warps + thread % warps]);
    bool by_words = scale.tells_apart(memory.keys(), count);
    __syncthreads();  // what the warps found is read
    if (by_words) {
        thread_items<words> items;
        const int apart = (count + n - 1) >> Shape::items_bits;  // so that the first threads have all there is
        const int end = thread < apart ? count : 0;
#pragma unroll
        for (int i = 0; i < n; ++i) {
            const int place = thread + i * apart;
            items.keys[i] = place < end ? scale.word_of(memory.keys()[place], place) : last_key<words>();
        }
        sort_words(of_words, items, count);
        __syncthreads();
        if (scale.shift > 0) by_words = put_in_order(memory, count);
    }
    if (!by_words) {
        using placed = placed_shape<Shape>;
        __syncthreads();
        sort_in_memory<false>(merge_memory<placed>{shared}, {in.keys + begin, nullptr}, {}, 0, count,
                              kept_order<placed>{compare});
        __syncthreads();
    }
    let_next_grid_begin();
    write_by_place(memory, out, begin, count, by_words, [&](const auto& write) {
        if (in.values) {
            __syncthreads();
            copy(memory.values(), in.values);
            write([&](int place) { return memory.values()[place]; });
        } else {
            write([&](int place) { return index_value<typename Shape::kept_value>(begin + place); });
        }
    });
}

/// Sorts the tile number `tile` of `n` elements.
template <class Shape>
__device__ __forceinline__ void sort_tile(unsigned char* shared, const merge_arrays<Shape>& in,
                                          const merge_arrays<Shape>& out, std::int64_t n, std::int64_t tile,
                                          const typename Shape::compare& compare)
{
    const std::int64_t begin = tile * Shape::tile;
    const int count = n - begin < Shape::tile ? static_cast<int>(n - begin) : Shape::tile;
    if constexpr (sorts_by_words<Shape>(Shape::threads, Shape::items)) {
        sort_tile_by_words<Shape>(shared, in, out, begin, count, compare);
        return;
    }
    const merge_memory<Shape> memory{shared};
    if (!sort_in_memory<true>(memory, in, out, begin, count, kept_order<Shape>{compare})) return;
    let_next_grid_begin();
    __syncthreads();
    write_tile(memory, out, begin, count);
}

}  // namespace launchbox::detail
