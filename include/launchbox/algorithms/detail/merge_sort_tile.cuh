// launchbox: a block of the first kernel of a merge sort sorts a tile. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/float_words.cuh>
#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_order.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>
#include <launchbox/algorithms/detail/merge_words.cuh>

namespace launchbox::detail {

/// Whether the `count` elements of a tile are in order, or strictly in the opposite order, so that copying them is
/// enough. Called by all threads if a sample of them is in that order; `key_at(i)` is the key of element i.
template <class Shape, class KeyAt, class Less>
__device__ __forceinline__ tile_order order_of_tile(const KeyAt& key_at, int count, bool falls, const Less& less)
{
    bool is_other = false;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i + 1 < count; i += Shape::threads)
        is_other |= less(key_at(i + 1), key_at(i)) != falls;
    if (__syncthreads_or(is_other) != 0) return tile_order::none;
    return falls ? tile_order::falling : tile_order::rising;
}

/// Checks a sample of 32 elements first, which hardly any tile passes by accident.
template <class Shape, class KeyAt, class Less>
__device__ __forceinline__ tile_order order_by_sample(const KeyAt& key_at, int count, const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, last = min(count, 32) - 1;
    const auto sample = key_at(count < 32 ? min(lane, last) : lane * (count - 1) / 31);
    const auto next = shuffle_from(sample, min(lane + 1, last));
    const unsigned falling = __ballot_sync(~0u, lane < last && less(next, sample));
    const bool falls = last > 0 && falling == ~0u >> (32 - last);
    if (!falls && falling != 0) return tile_order::none;  // the same in all warps
    return order_of_tile<Shape>(key_at, count, falls, less);
}

/// Copies the `count` elements of a tile, reversed if `falls`. The sort may be in place, so that an element and the
/// one that it is exchanged with are both read before they are written.
template <class Shape>
__device__ __forceinline__ void copy_tile(const merge_arrays<Shape>& in, const merge_arrays<Shape>& out,
                                          std::int64_t begin, int count, bool falls, bool is_last)
{
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); 2 * i < count; i += Shape::threads) {
        const std::int64_t first = begin + i, second = begin + count - 1 - i;
        const std::int64_t first_to = falls ? second : first, second_to = falls ? first : second;
        const auto key = in.keys[first], other_key = in.keys[second];
        out.keys[first_to] = stored<Shape>(Shape::keep(key), is_last);
        out.keys[second_to] = stored<Shape>(Shape::keep(other_key), is_last);
        if constexpr (Shape::has_values) {
            using value_type = typename Shape::value;
            const auto value = in.values ? in.values[first] : static_cast<value_type>(index_value<value_type>(first));
            const auto other = in.values ? in.values[second] : static_cast<value_type>(index_value<value_type>(second));
            out.values[first_to] = value;
            out.values[second_to] = other;
        }
    }
}

/// Gives the zeros of a sorted tile, which are all 0.0, the order and the signs that they have in the input, which is
/// unchanged. Called by all threads; ends with a barrier.
template <class Shape>
__device__ __forceinline__ void restore_zeros_of_tile(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in,
                                                      std::int64_t begin, int count)
{
    using words = typename Shape::words;
    constexpr int warps = Shape::threads / 32, of_warp = Shape::tile / warps;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const auto word_in = [&](int slot) -> auto& { return memory.keys()[padded<Shape::items>(slot)]; };
    // Where the zeros are in the tile.
    int to = first_not_before(0, count, [&](int i) { return word_in(i) < words::zero; });
    // Each warp counts the zeros in its stretch of the input, and then writes them.
    int* const of_warps = memory.left_begin();
    int found = 0;
#pragma unroll 1
    for (const bool writes : {false, true}) {
        if (writes) {
            __syncthreads();
            if (lane == 0) of_warps[warp] = found;
            __syncthreads();
#pragma unroll 1
            for (int before = 0; before < warp; ++before) to += of_warps[before];
        }
#pragma unroll 1
        for (int i = warp * of_warp + lane; i < (warp + 1) * of_warp; i += 32) {
            typename words::word word = 0;
            if (i < count) word = Shape::keep(in.keys[begin + i]);
            const bool is_zero = i < count && words::without_sign_of_zero(word) == words::zero;
            const unsigned zeros = __ballot_sync(~0u, is_zero);
            if (writes && is_zero) word_in(to + __popc(zeros & ((1u << lane) - 1))) = word;
            found += __popc(zeros);
            if (writes) to += __popc(zeros);
        }
    }
    __syncthreads();
}

/// Replaces all words of a tile by their keys.
template <class Shape>
__device__ __forceinline__ void make_keys_of_words(const merge_memory<Shape>& memory)
{
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < Shape::tile + Shape::threads; i += Shape::threads)
        memory.keys()[i] = Shape::given(memory.keys()[i]);
}

/// Whether tiles are checked for order before the threads' items are merged, and copied if they are in order. Small
/// tiles of integers or words without values are sorted so fast that loading the code for this takes longer than it
/// saves: they are checked after sorting.
template <class Shape>
inline constexpr bool copies_tiles = Shape::is_stable || Shape::items >= 32;

/// The order that a tile had, and whether it was copied.
struct sorted_tile {
    tile_order order = tile_order::none;
    bool is_copied = false;
};

/// Sorts the `count` > 0 elements of a tile from `begin` on in shared memory. With `Looks` it finds whether they are
/// already in order, and may copy them to `out` instead. A barrier must follow.
template <bool Looks, class Shape>
__device__ __forceinline__ sorted_tile sort_in_memory(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in,
                                                      [[maybe_unused]] const merge_arrays<Shape>& out,
                                                      std::int64_t begin, int count, const kept_order<Shape>& less,
                                                      [[maybe_unused]] const sort_findings& findings = {},
                                                      [[maybe_unused]] bool is_last = false)
{
    const int thread = static_cast<int>(threadIdx.x), first = thread * Shape::items;
    const auto copied = [&](tile_order order) {
        copy_tile<Shape>(in, out, begin, count, order == tile_order::falling, is_last);
        return sorted_tile{order, true};
    };
    [[maybe_unused]] int pairs = Shape::threads;  // threads that have two elements
    [[maybe_unused]] bool falls = false;          // this thread's second element comes before its first
    // If no thread's first two elements fall, or all threads' do, the tile may be in order.
    const auto looked_at = [&] {
        const int falling = __syncthreads_count(falls);
        if (falling != 0 && falling != pairs) return tile_order::none;
        const auto key_at = [&](int i) { return Shape::keep(in.keys[begin + i]); };
        return order_of_tile<Shape>(key_at, count, falling != 0, order_of_search<Shape>(less.compare));
    };
    thread_items<Shape> items;
    raw_array<unsigned, Shape::items> tags;
    [[maybe_unused]] bool has_negative_zero = false;
    if constexpr (!Shape::is_stable) {
        // The order of equal keys is invisible, so that each thread takes elements for which reads are coalesced.
        const auto key_at = [&](int i) { return Shape::keep(in.keys[begin + i]); };
        if (count == Shape::tile) {
#pragma unroll
            for (int i = 0; i < Shape::items; ++i) items.keys[i] = key_at(thread + i * Shape::threads);
        } else {
            // So that the first threads have all elements.
            const int apart = (count + Shape::items - 1) >> Shape::items_bits;
            const int end = thread < apart ? count : 0;
            pairs = min(apart, count - apart);
#pragma unroll
            for (int i = 0; i < Shape::items; ++i) {
                items.keys[i] = last_key<Shape>();
                if (thread + i * apart < end) items.keys[i] = key_at(thread + i * apart);
            }
        }
        if constexpr (Looks) falls = less(items.keys[1], items.keys[0]);
        if constexpr (Shape::sorts_floats) {
#pragma unroll
            for (int i = 0; i < Shape::items; ++i) has_negative_zero |= items.keys[i] == Shape::words::negative_zero;
        }
        sort_items<network::sort, thirds_by_sum::of_sort>(items, tags, less);
        if constexpr (Shape::sorts_floats) {
            has_negative_zero = __syncthreads_or(has_negative_zero) != 0;
            if (has_negative_zero && thread == 0 && findings.words != nullptr)
                findings.words->negative_zero = findings.number;
        }
        if constexpr (Looks && copies_tiles<Shape>)
            if (const tile_order order = looked_at(); order != tile_order::none) return copied(order);
        if constexpr (Shape::sorts_floats) {
            if (has_negative_zero) {
#pragma unroll
                for (int i = 0; i < Shape::items; ++i)
                    items.keys[i] = Shape::words::without_sign_of_zero(items.keys[i]);
            }
        }
    } else {
        read_tile(memory, in, begin, count);
        __syncthreads();
        if constexpr (Looks) {
            const tile_order order = order_by_sample<Shape>([&](int i) { return memory.key_in(i); }, count, less);
            if (order != tile_order::none) return copied(order);
        }
        if (count != Shape::tile) {
            fill_tile(memory, count, less);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) {
            items.keys[i] = memory.keys()[padded<Shape::items>(first) + i];
            tags[i] = static_cast<unsigned>(i);
        }
        if constexpr (!Shape::has_values) __syncthreads();
        sort_items<network::sort, thirds_by_sum::of_sort>(items, tags, less);
    }
    if constexpr (Shape::has_values) {
        // Values do not go through the network with their keys, which would take longer and more registers.
#pragma unroll
        for (int i = 0; i < Shape::items; ++i)
            items.values[i] = memory.values()[padded<Shape::items>(first) + static_cast<int>(tags[i])];
        __syncthreads();
    }
    merge_sorted_items(memory, items, count, less);
    if constexpr (Shape::sorts_floats) {
        if (forgotten(has_negative_zero)) {
            __syncthreads();
            restore_zeros_of_tile<Shape>(memory, in, begin, count);
        }
    }
    if constexpr (Looks && !copies_tiles<Shape>) return {looked_at(), false};
    return {};
}

/// The same for keys with values, sorted as words.
template <class Shape>
__device__ __forceinline__ void sort_tile_by_words(unsigned char* shared, const merge_arrays<Shape>& in,
                                                   const merge_arrays<Shape>& out, std::int64_t begin, int count,
                                                   const typename Shape::compare& compare,
                                                   const sort_findings& findings)
{
    using words = shape_of_words<Shape::threads, Shape::items>;
    using number = key_number<Shape>;
    constexpr int threads = Shape::threads, n = Shape::items, warps = threads / 32;
    const word_memory<Shape> memory{shared};
    const merge_memory<words> of_words{shared};
    const int thread = static_cast<int>(threadIdx.x);
    const auto copy = [&](auto* to, const auto* from) {
        if (count == Shape::tile) {
            copy_elements<n, threads>(to + thread, threads, from + begin + thread);
            wait_for_copies();
        } else {
#pragma unroll 1
            for (int i = thread; i < count; i += threads)
                to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(from[begin + i]);
        }
        __syncthreads();
    };
    copy(memory.keys(), in.keys);
    const kept_order<Shape> less{compare};
    const tile_order order = order_by_sample<Shape>([&](int i) { return memory.keys()[i]; }, count, less);
    record_order_of_tile(findings, order, count);
    if (order != tile_order::none) {
        copy_tile<Shape>(in, out, begin, count, order == tile_order::falling, false);
        let_next_grid_begin();
        return;
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
    bool by_words = scale.tells_apart(memory.keys(), count);  // after its barrier of_warps is no longer read
    if (by_words) {
        thread_items<words> items;
        const int apart = (count + n - 1) >> Shape::items_bits;  // so that the first threads have all elements
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

/// Sorts tile `tile` of `n` elements. If it is the only one, `out` is the user's array.
template <class Shape>
__device__ __forceinline__ void sort_tile(unsigned char* shared, const merge_arrays<Shape>& in,
                                          const merge_arrays<Shape>& out, std::int64_t n, std::int64_t tile,
                                          const typename Shape::compare& compare, const sort_findings& findings)
{
    const bool is_last = n <= Shape::tile;
    const std::int64_t begin = tile * Shape::tile;
    const int count = n - begin < Shape::tile ? static_cast<int>(n - begin) : Shape::tile;
    if constexpr (sorts_by_words<Shape>(Shape::threads, Shape::items)) {
        sort_tile_by_words<Shape>(shared, in, out, begin, count, compare, findings);
        return;
    }
    const merge_memory<Shape> memory{shared};
    const sorted_tile sorted =
        sort_in_memory<true>(memory, in, out, begin, count, kept_order<Shape>{compare}, findings, is_last);
    record_order_of_tile(findings, sorted.order, count);
    let_next_grid_begin();
    if (sorted.is_copied) return;
    __syncthreads();
    if constexpr (Shape::sorts_floats) {
        // Too rare to be worth the code of a second loop that writes.
        if (is_last) {
            make_keys_of_words(memory);
            __syncthreads();
        }
    }
    write_tile(memory, out, begin, count);
}

}  // namespace launchbox::detail
