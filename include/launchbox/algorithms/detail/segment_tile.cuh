// launchbox: the segments that fit into a tile, sorted side by side by a block. Internal: include
// segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>

namespace launchbox::detail {

/// The block's segments, behind its tile in shared memory.
template <class Shape>
struct segment_tile {
    std::int64_t* begins;
    int* sizes;

    static constexpr std::int64_t bytes(std::int64_t segments) { return segments * 12; }
    __device__ __forceinline__ segment_tile(unsigned char* shared, int segments)
        : begins(reinterpret_cast<std::int64_t*>(shared + merge_memory<Shape>::layout.all)),
          sizes(reinterpret_cast<int*>(begins + segments))
    {
    }
};

/// The runs of segments that have 2^segment_bits slots each, before runs of 2^width_bits are merged. Sorts of integers
/// alone merge whole runs, with padding; others leave out what is behind the end of a segment.
template <class Shape>
struct segment_runs {
    static constexpr bool are_equal = !Shape::is_stable;
    int width_bits, segment_bits;
    const int* sizes;

    __device__ __forceinline__ bool is_last() const { return width_bits + 1 >= segment_bits; }
    __device__ __forceinline__ merge_pair pair_at(int element) const
    {
        merge_pair pair = equal_runs<Shape>{width_bits}.pair_at(element);
        if constexpr (Shape::is_stable) {
            const int width = 1 << width_bits;
            const int left = sizes[element >> segment_bits] - (pair.begin & ((1 << segment_bits) - 1));
            pair.left_count = max(0, min(left, width));
            pair.right_count = max(0, min(left - width, width));
        }
        return pair;
    }
    // Afterwards the segments lie one after the other.
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

/// Calls `visit(i, slot, place)` for each of a thread's slots that has an element, `Batch` at a time: those of number i
/// in the batch, its padded slot, and the element's place. `end_batch()` follows each batch.
template <int Batch, class Shape, class Visit, class EndBatch>
__device__ __forceinline__ void for_each_slot(const segment_tile<Shape>& segments, int segment_bits, const Visit& visit,
                                              const EndBatch& end_batch)
{
    constexpr int apart = Shape::threads + Shape::threads / Shape::items;  // whole rows
    const int thread = static_cast<int>(threadIdx.x), at = padded<Shape::items>(thread);
#pragma unroll
    for (int begin = 0; begin < Shape::items; begin += Batch) {
#pragma unroll
        for (int i = 0; i < Batch; ++i) {
            const int slot = thread + (begin + i) * Shape::threads, segment = slot >> segment_bits;
            const int within = slot & ((1 << segment_bits) - 1);
            visit(i, at + (begin + i) * apart, within < segments.sizes[segment], segments.begins[segment] + within);
        }
        end_batch(at + begin * apart);
    }
}

/// Reads the elements of the segments, each to its 2^segment_bits slots.
template <class Shape>
__device__ __forceinline__ void read_segments(const merge_memory<Shape>& memory, const segment_tile<Shape>& segments,
                                              int segment_bits, const merge_arrays<Shape>& in)
{
    constexpr int batch = Shape::items < 8 ? Shape::items : 8;
    constexpr int apart = Shape::threads + Shape::threads / Shape::items;
    // Through registers, so that several loads are in flight.
    const auto read = [&](const auto* from, auto* to, const auto& padding) {
        raw_array<std::remove_cvref_t<decltype(*to)>, batch> elements;
        for_each_slot<batch>(
            segments, segment_bits,
            [&](int i, int, bool is_there, std::int64_t place) {
                if (is_there)
                    elements[i] = static_cast<std::remove_cvref_t<decltype(*to)>>(from[place]);
                else
                    padding(elements[i]);
            },
            [&](int slot) {
#pragma unroll
                for (int i = 0; i < batch; ++i) to[slot + i * apart] = elements[i];
            });
    };
    read(in.keys, memory.keys(), [](auto& key) {
        if constexpr (!Shape::is_stable) key = last_key<Shape>();
    });
    if constexpr (Shape::has_values) read(in.values, memory.values(), [](auto&) {});
}

/// A bit for each of a thread's slots, from `first` on, that has an element.
template <class Shape>
__device__ __forceinline__ unsigned slots_in_use(const segment_tile<Shape>& segments, int segment_bits, int first)
{
    constexpr unsigned all = ~0u >> (32 - Shape::items);
    const int size = 1 << segment_bits;
    if (size >= Shape::items) {
        const int left = segments.sizes[first >> segment_bits] - (first & (size - 1));
        return left >= Shape::items ? all : left <= 0 ? 0 : (1u << left) - 1;
    }
    unsigned used = 0;
#pragma unroll 1
    for (int begin = 0; begin < Shape::items; begin += size)
        used |= ((1u << segments.sizes[(first + begin) >> segment_bits]) - 1) << begin;
    return used;
}

/// Sorts groups of 2^bits of a thread's elements, of all of them if there are fewer.
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

/// Sorts the segments of a tile, which have 2^segment_bits slots each, at least 2. Called after a barrier that follows
/// the writes to `segments`; ends with a barrier, after which the tile's memory may be written again.
template <class Shape>
__device__ __forceinline__ void sort_segments(unsigned char* shared, const segment_tile<Shape>& segments,
                                              int segment_bits, const merge_arrays<Shape>& in,
                                              const merge_arrays<Shape>& out, const typename Shape::compare& compare)
{
    constexpr int n = Shape::items;
    const merge_memory<Shape> memory{shared};
    const kept_order<Shape> less{compare};
    const int thread = static_cast<int>(threadIdx.x), first = thread * n;
    read_segments(memory, segments, segment_bits, in);
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
        used = slots_in_use(segments, segment_bits, first);
        // A slot without an element gets the largest key before it in its segment: it stays behind that.
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
        for (int i = 0; i < n; ++i)
            items.values[i] = memory.values()[padded<n>(first) + static_cast<int>(tags[i])];
    }
    __syncthreads();
    segment_runs<Shape> runs{Shape::items_bits - 1, segment_bits, segments.sizes};
    put_items(memory, items, runs, first);
    wait_for_threads(runs.writes_within_warp());
#pragma unroll 1
    for (runs.width_bits = Shape::items_bits; runs.width_bits < segment_bits; ++runs.width_bits)
        merge_pairs(memory, items, runs, less);
    const auto write = [&](const auto* from, auto* to) {
        for_each_slot<1>(
            segments, segment_bits,
            [&](int, int slot, bool is_there, std::int64_t place) {
                if (is_there) to[place] = static_cast<std::remove_cvref_t<decltype(*to)>>(from[slot]);
            },
            [](int) {});
    };
    write(memory.keys(), out.keys);
    if constexpr (Shape::has_values) write(memory.values(), out.values);
    __syncthreads();
}

}  // namespace launchbox::detail
