// launchbox: the segments that fit into a tile, sorted side by side by a block. Internal: include
// segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/float_words.cuh>
#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>

namespace launchbox::detail {

/// A segment in a tile: the slots from its first one to before `end` hold its elements; slot i holds element `source` +
/// i of the array.
struct alignas(16) tile_segment {
    std::int64_t source;
    int end;

    __device__ __forceinline__ tile_segment(std::int64_t begin, int size, int first_slot)
        : source(begin - first_slot), end(first_slot + size)
    {
    }
};

/// The block's segments, after its tile in shared memory.
template <class Shape>
__device__ __forceinline__ tile_segment* tile_segments(unsigned char* shared)
{
    return reinterpret_cast<tile_segment*>(shared + merge_memory<Shape>::layout.all);
}

/// The runs of segments that have 2^segment_bits slots each, before runs of 2^width_bits are merged. Sorts of integers
/// without values merge whole runs, with padding; others leave out the slots after a segment's end.
template <class Shape>
struct segment_runs {
    static constexpr bool are_equal = !Shape::is_stable;
    int width_bits, segment_bits;
    const tile_segment* segments;

    __device__ __forceinline__ bool is_last() const { return width_bits + 1 >= segment_bits; }
    __device__ __forceinline__ merge_pair pair_at(int element) const
    {
        merge_pair pair = equal_runs<Shape>{width_bits}.pair_at(element);
        if constexpr (Shape::is_stable) {
            const int width = 1 << width_bits;
            const int left = segments[element >> segment_bits].end - pair.begin;
            pair.left_count = max(0, min(left, width));
            pair.right_count = max(0, min(left - width, width));
        }
        return pair;
    }
    // After the last level the elements are in slots in ascending order.
    __device__ __forceinline__ int slot_after(int element) const
    {
        return is_last() ? element : equal_runs<Shape>{width_bits}.slot_after(element);
    }
    __device__ __forceinline__ bool is_right_after(int element) const
    {
        return !is_last() && equal_runs<Shape>{width_bits}.is_right_after(element);
    }
    __device__ __forceinline__ int first_step(const merge_pair&) const { return 1 << width_bits; }
    __device__ __forceinline__ bool reads_within_warp() const { return 2 << width_bits <= 32 * Shape::items; }
    __device__ __forceinline__ bool writes_within_warp() const
    {
        return !is_last() && 4 << width_bits <= 32 * Shape::items;
    }
};

/// Reads the elements of each segment into its 2^segment_bits slots. Returns whether there was a -0.0, if that matters.
template <class Shape>
__device__ __forceinline__ bool read_segments(const merge_memory<Shape>& memory, const tile_segment* segments,
                                              int segment_bits, const merge_arrays<Shape>& in)
{
    constexpr int n = Shape::items, batch = n < 8 ? n : 8;
    constexpr int apart = Shape::threads + Shape::threads / n;  // whole rows
    const int thread = static_cast<int>(threadIdx.x), to = padded<n>(thread);
    bool has_negative_zero = false;
#pragma unroll
    for (int begin = 0; begin < n; begin += batch) {
        // Through registers, so that several loads are in flight.
        raw_array<typename Shape::kept_key, batch> keys;
        [[maybe_unused]] raw_array<typename Shape::kept_value, batch> values;
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            const int slot = thread + (begin + i) * Shape::threads;
            const tile_segment segment = segments[slot >> segment_bits];
            if (slot < segment.end) {
                keys[i] = Shape::keep(in.keys[segment.source + slot]);
                if constexpr (keeps_words<Shape>) has_negative_zero |= keys[i] == Shape::words::negative_zero;
                if constexpr (Shape::has_values)
                    values[i] = static_cast<typename Shape::kept_value>(in.values[segment.source + slot]);
            } else if constexpr (!Shape::is_stable) {
                keys[i] = last_key<Shape>();
            }
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            memory.keys()[to + (begin + i) * apart] = keys[i];
            if constexpr (Shape::has_values) memory.values()[to + (begin + i) * apart] = values[i];
        }
    }
    return has_negative_zero;
}

/// Gives the zeros of sorted segments the order that they have in the input, which is unchanged.
template <class Shape>
__device__ __forceinline__ void restore_zeros(const merge_memory<Shape>& memory, const tile_segment* segments,
                                              int segment_bits, const merge_arrays<Shape>& in)
{
    const auto word_at = [&](int slot) -> auto& { return memory.keys()[padded<Shape::items>(slot)]; };
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < Shape::tile >> segment_bits; i += Shape::threads) {
        const tile_segment segment = segments[i];
        const int begin = i << segment_bits;
        int zero = first_not_before(begin, segment.end, [&](int i) { return word_at(i) < Shape::words::first_zero; });
        for (int slot = begin; slot < segment.end; ++slot) {
            const auto word = Shape::keep(in.keys[segment.source + slot]);
            if (word == Shape::words::zero || word == Shape::words::negative_zero) word_at(zero++) = word;
        }
    }
}

/// Writes the elements of the segments from their slots.
template <class Shape>
__device__ __forceinline__ void write_segments(const merge_memory<Shape>& memory, const tile_segment* segments,
                                               int segment_bits, const merge_arrays<Shape>& out)
{
    constexpr int n = Shape::items, apart = Shape::threads + Shape::threads / n;
    const int thread = static_cast<int>(threadIdx.x), from = padded<n>(thread);
#pragma unroll
    for (int i = 0; i < n; ++i) {
        const int slot = thread + i * Shape::threads;
        const tile_segment segment = segments[slot >> segment_bits];
        if (slot >= segment.end) continue;
        out.keys[segment.source + slot] = Shape::given(memory.keys()[from + i * apart]);
        if constexpr (Shape::has_values)
            out.values[segment.source + slot] = static_cast<typename Shape::value>(memory.values()[from + i * apart]);
    }
}

/// A bit for each of a thread's slots, from `first` on: whether it holds an element.
template <class Shape>
__device__ __forceinline__ unsigned slots_in_use(const tile_segment* segments, int segment_bits, int first)
{
    constexpr unsigned all = ~0u >> (32 - Shape::items);
    const int size = 1 << segment_bits;
    if (size >= Shape::items) {
        const int left = segments[first >> segment_bits].end - first;
        return left >= Shape::items ? all : left <= 0 ? 0 : (1u << left) - 1;
    }
    unsigned used = 0;
#pragma unroll 1
    for (int begin = first; begin < first + Shape::items; begin += size)
        used |= ((1u << (segments[begin >> segment_bits].end - begin)) - 1) << (begin - first);
    return used;
}

/// Sorts groups of 2^bits of a thread's elements, or all of them if there are fewer.
template <int Bits, class Shape>
__device__ __forceinline__ void sort_groups(thread_items<Shape>& items, raw_array<unsigned, Shape::items>& tags,
                                            int bits, const kept_order<Shape>& less)
{
    if constexpr (Bits < Shape::items_bits) {
        constexpr int n = Shape::items;
        if (bits <= Bits) return;
        sort_items<network::sort, thirds_by_sum::of_sort, comparators_of_groups<n>(Bits),
                   comparators_of_groups<n>(Bits + 1)>(items, tags, less);
        sort_groups<Bits + 1>(items, tags, bits, less);
    }
}

template <class Shape>
__device__ __forceinline__ void sort_segments_as(unsigned char* shared, int segment_bits, const merge_arrays<Shape>& in,
                                                 const merge_arrays<Shape>& out, const typename Shape::compare& compare)
{
    constexpr int n = Shape::items;
    const merge_memory<Shape> memory{shared};
    const kept_order<Shape> less{compare};
    const int thread = static_cast<int>(threadIdx.x), first = thread * n;
    const tile_segment* const segments = tile_segments<Shape>(shared);
    bool has_negative_zero = read_segments(memory, segments, segment_bits, in);
    if constexpr (keeps_words<Shape>)
        has_negative_zero = __syncthreads_or(static_cast<int>(has_negative_zero)) != 0;
    else
        __syncthreads();
    thread_items<Shape> items;
    raw_array<unsigned, n> tags;
#pragma unroll
    for (int i = 0; i < n; ++i) {
        items.keys[i] = memory.keys()[padded<n>(first) + i];
        tags[i] = static_cast<unsigned>(i);
    }
    unsigned used = ~0u;
    if constexpr (Shape::is_stable) {
        used = slots_in_use<Shape>(segments, segment_bits, first);
        // A slot without an element gets the largest key before it in its segment, so that it stays after that.
        if (used != 0 && used != ~0u >> (32 - n)) {
            auto largest = items.keys[0];
#pragma unroll
            for (int i = 1; i < n; ++i) {
                const bool begins = (i & ((1 << segment_bits) - 1)) == 0, is_there = (used >> i & 1) != 0;
                if (is_there && (begins || !less(items.keys[i], largest))) largest = items.keys[i];
                if (!is_there) items.keys[i] = largest;
            }
        }
    }
    if (used != 0) sort_groups<0>(items, tags, segment_bits, less);
    if constexpr (Shape::has_values) {
#pragma unroll
        for (int i = 0; i < n; ++i) items.values[i] = memory.values()[padded<n>(first) + static_cast<int>(tags[i])];
    }
    __syncthreads();
    segment_runs<Shape> runs{Shape::items_bits - 1, segment_bits, segments};
    put_items(memory, items, runs, first);
    wait_for_threads(runs.writes_within_warp());
#pragma unroll 1
    for (runs.width_bits = Shape::items_bits; runs.width_bits < segment_bits; ++runs.width_bits)
        merge_pairs(memory, items, runs, less);
    if constexpr (keeps_words<Shape>) {
        if (has_negative_zero) {
            restore_zeros(memory, segments, segment_bits, in);
            __syncthreads();
        }
    }
    write_segments(memory, segments, segment_bits, out);
    __syncthreads();
}

/// Sorts the segments of a tile, which have 2^segment_bits slots each, at least 2. Called after a barrier that
/// follows the writes to tile_segments; ends with a barrier, after which the tile's memory may be written again.
template <class Shape>
__device__ __forceinline__ void sort_segments(unsigned char* shared, int segment_bits, const merge_arrays<Shape>& in,
                                              const merge_arrays<Shape>& out, const typename Shape::compare& compare)
{
    using shape = word_shape_if_any<Shape>;
    static_assert(merge_memory<shape>::layout.all == merge_memory<Shape>::layout.all);
    sort_segments_as<shape>(shared, segment_bits, {in.keys, in.values}, {out.keys, out.values}, compare);
}

}  // namespace launchbox::detail
