// launchbox: the work of a segmented merge sort's blocks: tiles of segments, and parts of segments that are merged.
// Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_part.cuh>
#include <launchbox/algorithms/detail/segment_classes.cuh>
#include <launchbox/algorithms/detail/segment_tile.cuh>

namespace launchbox::detail {

/// The two arrays that the passes alternate between; `data` is the user's.
template <class Shape>
struct segment_arrays {
    merge_arrays<Shape> data, other;

    /// Where a segment is when `passes` passes are left: the last pass writes to `data`.
    [[nodiscard]] __device__ __forceinline__ const merge_arrays<Shape>& before(int passes) const
    {
        return passes % 2 == 0 ? data : other;
    }
};

template <class Shape>
__device__ __forceinline__ merge_arrays<Shape> behind(const merge_arrays<Shape>& arrays, std::int64_t elements)
{
    merge_arrays<Shape> moved{arrays.keys + elements, nullptr};
    if constexpr (Shape::has_values) moved.values = arrays.values + elements;
    return moved;
}

/// Calls `work(0)` to `work(count - 1)`, each in one block; the `counter` hands them out to about as many blocks as fit
/// on the GPU. `work` ends with a barrier; `next` is a word in shared memory that is free between calls.
template <class Work>
__device__ __forceinline__ void for_each_work(unsigned& counter, std::int64_t count, int& next, const Work& work)
{
    std::int64_t at = blockIdx.x;
    while (at < count) {
        // Requested now, needed only at the end.
        int later = 0;
        if (threadIdx.x == 0) later = static_cast<int>(atomicAdd(&counter, 1u));
        work(at);
        if (threadIdx.x == 0) next = later;
        __syncthreads();
        at = std::int64_t{gridDim.x} + static_cast<unsigned>(next);
        __syncthreads();
    }
}

/// The tiles of some classes; each lane of a warp has one class.
struct class_tiles {
    std::int64_t end = 0;     ///< of the tiles of this lane's class
    std::int64_t listed = 0;  ///< where the class's segments begin in the list
    std::int64_t count = 0;   ///< its number of segments

    __device__ __forceinline__ class_tiles(const segment_state& state, const segment_sizes& sizes, int first, int last,
                                           int tile_bits)
    {
        const int lane = static_cast<int>(threadIdx.x) % 32, own = first + lane;
        count = own <= last ? state.listed(sizes, own) : 0;
        const int spare = own <= last ? tile_bits - own : 0;
        const std::int64_t tiles = (count + (std::int64_t{1} << spare) - 1) >> spare;
        end = sum_until<32>(tiles);
        const std::int64_t most = own <= last ? sizes.max_listed(own) : 0;
        listed = sum_until<32>(most) - most;
        for (int i = 1; i < first; ++i) listed += sizes.max_listed(i);
    }
    [[nodiscard]] __device__ __forceinline__ std::int64_t all() const { return shuffle_from(end, 31); }
};

/// The segments of a tile.
struct listed_segments {
    int segment_bits;
    std::int64_t begin;  ///< in the list
    std::int64_t count;  ///< segments from there on in the class; may be more than fit into the tile

    /// Tile `tile` of the classes from `first` on; no segments after the last tile.
    __device__ __forceinline__ listed_segments(const class_tiles& classes, std::int64_t tile, int first, int tile_bits)
    {
        const int at = __popc(__ballot_sync(~0u, classes.end <= tile)) % 32;
        segment_bits = first + at;
        const std::int64_t end_before = shuffle_from(classes.end, at > 0 ? at - 1 : 0);
        const std::int64_t skipped = (tile - (at > 0 ? end_before : 0)) << (tile_bits - segment_bits);
        begin = shuffle_from(classes.listed, at) + skipped;
        count = shuffle_from(classes.count, at) - skipped;
        if (tile >= classes.all()) count = 0;
    }
    template <class Offset>
    [[nodiscard]] __device__ __forceinline__ unsigned number(const segment_lists<Offset>& lists, int i) const
    {
        return i < count ? lists.by_class[begin + i] : 0;
    }
    /// The offsets of segment i of the tile, whose number is known; empty after the last segment.
    template <class Offset>
    [[nodiscard]] __device__ __forceinline__ auto offsets(const segment_lists<Offset>& lists, int i,
                                                          unsigned number_of_it) const
    {
        return i < count ? lists.read(number_of_it) : typename segment_lists<Offset>::offsets{0, 0};
    }
};

/// Sorts the segments of the classes up to `last`.
template <class Shape, class Offset>
__device__ __forceinline__ void sort_small_segments(unsigned char* shared, const segment_sizes& sizes,
                                                    const segment_lists<Offset>& lists, const merge_arrays<Shape>& data,
                                                    int last, const typename Shape::compare& compare)
{
    constexpr int tile_bits = bits_of<Shape::tile>;
    const int thread = static_cast<int>(threadIdx.x);
    tile_segment* const segments = tile_segments<Shape>(shared);
    const int first = sizes.first_class();
    const class_tiles classes(*lists.state, sizes, first, last, tile_bits);
    const std::int64_t tiles = classes.all(), apart = gridDim.x;
    std::int64_t tile = blockIdx.x;
    if (tile >= tiles) return;
    // Offsets are read one tile ahead, and the numbers of their segments two tiles ahead.
    listed_segments now(classes, tile, first, tile_bits), next(classes, tile + apart, first, tile_bits);
    auto offsets = now.offsets(lists, thread, now.number(lists, thread));
    unsigned number_of_next = next.number(lists, thread);
#pragma unroll 1
    for (;;) {
        const int bits = now.segment_bits;
        for (int i = thread; i < 1 << (tile_bits - bits); i += Shape::threads) {
            if (i != thread) offsets = now.offsets(lists, i, now.number(lists, i));
            const segment_range range = lists.range(sizes, offsets);
            segments[i] = {range.begin, static_cast<int>(range.size), i << bits};
        }
        offsets = next.offsets(lists, thread, number_of_next);
        now = next;
        next = listed_segments(classes, tile + 2 * apart, first, tile_bits);
        number_of_next = next.number(lists, thread);
        __syncthreads();
        sort_segments(shared, bits, data, data, compare);
        tile += apart;
        if (tile >= tiles) return;
    }
}

/// Sorts the segments of the classes `first` to `last`, and the parts of segments that are merged.
template <class Shape, class Offset>
__device__ __forceinline__ void sort_large_segments(unsigned char* shared, const segment_sizes& sizes,
                                                    const segment_lists<Offset>& lists,
                                                    const segment_arrays<Shape>& arrays, int first, int last,
                                                    std::int64_t* splits, unsigned& counter,
                                                    const typename Shape::compare& compare)
{
    constexpr int tile_bits = bits_of<Shape::tile>;
    const int thread = static_cast<int>(threadIdx.x);
    tile_segment* const segments = tile_segments<Shape>(shared);
    const class_tiles classes(*lists.state, sizes, first, last, tile_bits);
    const std::int64_t parts = lists.state->merged(sizes).parts();
    int& next = merge_memory<Shape>{shared}.left_begin()[0];
    for_each_work(counter, classes.all() + parts, next, [&](std::int64_t work) {
        merge_arrays<Shape> out = arrays.data;
        int segment_bits = tile_bits;
        if (work < parts) {
            // Parts come first, since they take longest.
            const part_owner owner = find_owner(sizes, lists, work);
            const merged_segment& segment = lists.merged[owner.place];
            const std::int64_t before = (work - owner.first_part) * sizes.part, left = segment.size - before;
            out = arrays.before(sizes.passes_of(segment.size).count);
            if (thread == 0) lists.owner[work] = static_cast<unsigned>(owner.place);
            if (thread == 0)
                segments[0] = {segment.begin + before, left < sizes.part ? static_cast<int>(left) : sizes.part, 0};
            for (std::int64_t i = (work << sizes.max_levels) + thread; i < (work + 1) << sizes.max_levels;
                 i += Shape::threads)
                splits[i] = 0;
        } else {
            const listed_segments listed(classes, work - parts, first, tile_bits);
            segment_bits = listed.segment_bits;
            for (int i = thread; i < 1 << (tile_bits - segment_bits); i += Shape::threads) {
                const segment_range range = lists.range(sizes, listed.offsets(lists, i, listed.number(lists, i)));
                segments[i] = {range.begin, static_cast<int>(range.size), i << segment_bits};
            }
        }
        __syncthreads();
        sort_segments(shared, segment_bits, arrays.data, out, compare);
    });
    let_next_grid_begin();
}

// Where the splits of a segment's first part are. Not lambdas: nvcc leaves those of constructors without a body in the
// host's code.
struct no_splits {
    __device__ __forceinline__ std::int64_t* operator()(std::int64_t) const { return nullptr; }
};
struct splits_at {
    std::int64_t* all;
    int max_levels;
    __device__ __forceinline__ std::int64_t* operator()(std::int64_t part) const { return all + (part << max_levels); }
};

/// A part in a pass. To merge_part the pass is over the part's segment alone.
struct segment_part {
    merge_task task;
    std::int64_t begin;  ///< of the segment
    std::int64_t number;
    int passes_left;  ///< including this one

    /// Without splits: the part's block searches for them.
    template <class Offset>
    __device__ __forceinline__ segment_part(const segment_sizes& sizes, const segment_lists<Offset>& lists, int pass,
                                            std::int64_t part)
        : segment_part(sizes, lists, pass, part, no_splits{})
    {
    }
    template <class Offset>
    __device__ __forceinline__ segment_part(const segment_sizes& sizes, const segment_lists<Offset>& lists, int pass,
                                            std::int64_t part, std::int64_t* splits)
        : segment_part(sizes, lists, pass, part, splits_at{splits, sizes.max_levels})
    {
    }

private:
    template <class Offset, class SplitsAt>
    __device__ __forceinline__ segment_part(const segment_sizes& sizes, const segment_lists<Offset>& lists, int pass,
                                            std::int64_t part, const SplitsAt& splits_of_part)
    {
        const merged_segment& segment = lists.merged[lists.owner[part]];
        const segment_passes passes = sizes.passes_of(segment.size);
        const int before = passes.levels_before(pass), levels = passes.levels_of(pass);
        const std::int64_t first_part =
            segment.first_part + lists.state->merged(sizes, passes.count + 1).parts();  // of all
        begin = segment.begin;
        number = part - first_part;
        passes_left = passes.count - pass;
        task = {segment.size, std::int64_t{sizes.part} << before,   levels,   sizes.part,
                sizes.slack,  std::int64_t{1} << (before + levels), pass + 1, splits_of_part(first_part)};
    }
};

/// find_splits for pass `pass`, from 0, over all segments that have such a pass. 2^levels_of_search(MaxLevels) threads
/// find each split, since passes with different numbers of levels meet in a warp.
template <int MaxLevels, class Shape, class Offset>
__device__ __forceinline__ void find_segment_splits(const segment_sizes& sizes, const segment_lists<Offset>& lists,
                                                    const segment_arrays<Shape>& arrays, int pass, std::int64_t* splits,
                                                    std::int64_t thread, const typename Shape::compare& compare)
{
    wait_for_grid_ahead();
    let_next_grid_begin();
    constexpr int levels = levels_of_search(MaxLevels);
    const kept_order<Shape> less{compare};
    const std::int64_t parts = lists.state->merged(sizes, pass + 1).parts(), part = thread >> levels;
    if (parts == 0 || (thread - threadIdx.x % 32) >> levels >= parts) return;
    // All threads of a warp search.
    const segment_part own(sizes, lists, pass, part < parts ? part : parts - 1, splits);
    const merge_task& task = own.task;
    const typename Shape::key* const keys = arrays.before(own.passes_left).keys + own.begin;
    const std::int64_t at = own.number * task.merged;
    std::int64_t split;
    if (__any_sync(~0u, task.run << task.levels >= std::int64_t{1} << 31))
        split = split_at<MaxLevels, std::int64_t, Shape>(levels, task, keys, at, less);
    else
        split = split_at<MaxLevels, int, Shape>(levels, task, keys, at, less);
    const std::int64_t run = thread & ((1 << levels) - 1);
    if (part < parts && run >> task.levels == 0)
        publish_word(task.splits + (own.number << task.levels) + run, found_split::word(split, task.pass));
}

/// Pass `pass`, from 0, over all segments that have such a pass.
template <class Shape, class Offset>
__device__ __forceinline__ void merge_segments(unsigned char* shared, const segment_sizes& sizes,
                                               const segment_lists<Offset>& lists, const segment_arrays<Shape>& arrays,
                                               int pass, std::int64_t* splits, unsigned& counter,
                                               const typename Shape::compare& compare)
{
    const std::int64_t parts = lists.state->merged(sizes, pass + 1).parts();
    // A block without parts waits for no words, so that it must wait for the end of the kernel that finds the splits.
    if (parts <= blockIdx.x) wait_for_grid_ahead();
    for_each_work(counter, parts, merge_memory<Shape>{shared}.left_begin()[0], [&](std::int64_t part) {
        const segment_part own(sizes, lists, pass, part, splits);
        merge_part<split_source::task, 0, Shape>(shared, own.task, behind(arrays.before(own.passes_left), own.begin),
                                                 behind(arrays.before(own.passes_left - 1), own.begin), own.number,
                                                 compare);
        __syncthreads();
    });
}

}  // namespace launchbox::detail
