// launchbox: sorts of few segments, without a kernel that lists them first: every block looks at all of them. Internal:
// include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// With few elements a segmented sort spends most of its time on launches: clearing the counts, listing the segments,
// sorting each size, and two for each pass make eight, some of which have nothing to do. Here there are two launches.
// In the first, every block looks at all offsets, and sorts the segment with the block's number if it fits into a tile,
// and parts of segments that do not. The second does all passes: a part waits until the parts of the previous pass are
// complete.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/count_sort.cuh>
#include <launchbox/algorithms/detail/segment_work.cuh>

namespace launchbox::detail {

/// What the threads of a block together find out about a part.
struct few_segments {
    std::uint64_t warps[32];  ///< words of segment_count
    std::int64_t begin, size;
    std::int64_t place;   ///< the segment's place in `merged`
    std::int64_t within;  ///< the part's number in its segment
};

/// A segment takes at least 1 / few_in_tile of a tile, even if it is smaller: it has a block of its own.
inline constexpr int few_in_tile = 16;

/// Whether part `part` exists, returned to all threads; if so, `shared` describes it. With `writes` it also writes what
/// the passes read about the segments. Called by all threads; ends with a barrier.
template <int Threads, class Offset>
__device__ __forceinline__ bool find_part_of_few(few_segments& shared, const segment_sizes& sizes,
                                                 const segment_lists<Offset>& lists, std::int64_t part, bool writes)
{
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int all = static_cast<int>(sizes.segments), each = (all + Threads - 1) / Threads;
    const int first = min(thread * each, all), end = min(first + each, all);
    segment_count of_more;  // segments with more passes, and their parts
    bool is_there = false;
#pragma unroll 1
    for (int passes = sizes.max_passes; passes > 0; --passes) {
        const int own_class = sizes.tile_bits + passes;
        std::uint64_t own = 0;
#pragma unroll 1
        for (int i = first; i < end; ++i) {
            const std::int64_t size = lists.range(sizes, i).size;
            if (sizes.class_of(size) == own_class)
                own += std::uint64_t{1} << 32 | static_cast<std::uint64_t>(sizes.parts_of(size));
        }
        const std::uint64_t of_warp = sum_until<32>(own);
        if (lane == 31) shared.warps[warp] = of_warp;
        __syncthreads();
        std::uint64_t before = of_warp - own, sum = 0;
#pragma unroll 1
        for (int i = 0; i < Threads / 32; ++i) {
            before += i < warp ? shared.warps[i] : 0;
            sum += shared.warps[i];
        }
        segment_count count{before};
#pragma unroll 1
        for (int i = first; i < end; ++i) {
            const segment_range range = lists.range(sizes, i);
            if (sizes.class_of(range.size) != own_class) continue;
            const std::int64_t parts = sizes.parts_of(range.size), within = part - of_more.parts() - count.parts();
            const std::int64_t place = (passes - 1) * sizes.max_merged() + count.segments();
            if (writes && count.segments() < sizes.max_merged())
                lists.merged[place] = {range.begin, range.size, count.parts()};
            if (within >= 0 && within < parts) {
                shared.begin = range.begin;
                shared.size = range.size;
                shared.place = place;
                shared.within = within;
                is_there = true;
            }
            count.word += std::uint64_t{1} << 32 | static_cast<std::uint64_t>(parts);
        }
        if (writes && thread == 0) lists.state->counts[own_class] = sum;
        of_more.word += sum;
        __syncthreads();
    }
    const bool fits = of_more.segments() <= sizes.max_merged() && of_more.parts() <= sizes.max_parts();
    if (writes && thread == 0) lists.state->overlap = fits ? 0 : 1;
    return __syncthreads_or(is_there && fits) != 0;
}

/// Clears what the passes read, in case no segment is merged, and their work counters.
__device__ __forceinline__ void clear_state(segment_state& state)
{
    const auto words = reinterpret_cast<unsigned*>(&state);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < sizeof state / sizeof(unsigned); i += blockDim.x) words[i] = 0;
}

/// Sorts the block's segment if it fits into a tile, and the block's share of the parts of larger segments. There are
/// at least as many blocks as segments.
template <class Shape, class Offset>
__device__ __forceinline__ void sort_few_segments(unsigned char* shared, const segment_sizes& sizes,
                                                  const segment_lists<Offset>& lists,
                                                  const segment_arrays<Shape>& arrays,
                                                  const typename Shape::compare& compare)
{
    constexpr int tile_bits = bits_of<Shape::tile>;
    static_assert(sizeof(few_segments) <= merge_memory<Shape>::layout.all && Shape::tile >= 2 * few_in_tile);
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t block = blockIdx.x, blocks = gridDim.x;
    tile_segment* const segments = tile_segments<Shape>(shared);
    auto& found = *reinterpret_cast<few_segments*>(shared);
    const segment_range own = block < sizes.segments ? lists.range(sizes, block) : segment_range{0, 0};
    bool is_merged = false;
    if (sizes.max_passes > 0) {
#pragma unroll 1
        for (std::int64_t i = thread; i < sizes.segments; i += Shape::threads)
            is_merged |= sizes.is_merged(lists.range(sizes, i).size);
        if (block == blocks - 1) clear_state(*lists.state);
        is_merged = __syncthreads_or(static_cast<int>(is_merged)) != 0;
    }
    // The last block has part 0, so that blocks without a segment take the first parts.
    std::int64_t part = is_merged ? blocks - 1 - block : sizes.max_parts();
    bool has_own = own.size > 1 && !sizes.is_merged(own.size);
#pragma unroll 1
    for (;;) {
        merge_arrays<Shape> out = arrays.data;
        int segment_bits = tile_bits;
        if (part < sizes.max_parts() && find_part_of_few<Shape::threads>(found, sizes, lists, part, part == 0)) {
            const std::int64_t before = found.within * sizes.part, left = found.size - before;
            out = arrays.before(sizes.passes_of(found.size).count);
            if (thread == 0) {
                lists.owner[part] = static_cast<unsigned>(found.place);
                segments[0] = {found.begin + before, left < sizes.part ? static_cast<int>(left) : sizes.part, 0};
            }
            part += blocks;
        } else if (has_own) {
            constexpr int min_bits = tile_bits - bits_of<few_in_tile>;
            segment_bits = max(bits_in(own.size - 1), min_bits);
            for (int i = thread; i < 1 << (tile_bits - segment_bits); i += Shape::threads)
                segments[i] = {i == 0 ? own.begin : 0, i == 0 ? static_cast<int>(own.size) : 0, i << segment_bits};
            part = sizes.max_parts();
            has_own = false;
        } else {
            break;
        }
        __syncthreads();
        sort_segments(shared, segment_bits, arrays.data, out, compare);
    }
    let_next_grid_begin();
}

/// Limits for this: up to them launches take a noticeable part of the time, and each block can look at all segments.
inline constexpr std::int64_t max_elements_of_few = std::int64_t{1} << 21, max_few_segments = 512;

/// Whether keys that can be counted are counted: only if segments that must be merged are exceptions. Counting parts
/// that are then merged takes 1.17 times as long as sorting them like other keys.
constexpr bool are_few_counted(std::int64_t n, std::int64_t segments)
{
    return n <= segments << 14;
}

/// The shared memory of a block that sorts few segments by counting.
template <int Threads>
struct few_counts {
    count_memory<Threads> counts;
    few_segments found;
    unsigned of_warps[32];
    int count;  ///< the number of the block's segments
    struct {
        int begin, size;
    } segments[max_few_segments];
};

/// The fixed cost of sorting a segment by counting, as the number of elements that take as long.
inline constexpr unsigned work_of_counts = 4096;

/// sort_few_segments for keys that are counted. All blocks run at once, and each takes consecutive segments with about
/// the same amount of work.
template <class Shape, class Offset>
__device__ __forceinline__ void count_few_segments(unsigned char* shared, const segment_sizes& sizes,
                                                   const segment_lists<Offset>& lists,
                                                   const segment_arrays<Shape>& arrays)
{
    using key = typename Shape::key;
    constexpr int threads = Shape::threads;
    static_assert(Shape::tile <= count_memory<threads>::max_elements);
    auto& memory = *reinterpret_cast<few_counts<threads>*>(shared);
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const int all = static_cast<int>(sizes.segments), each = (all + threads - 1) / threads;
    const int first = min(thread * each, all), end = min(first + each, all);
    memory.counts.clear();
    if (thread == 0) memory.count = 0;
    wait_for_grid_ahead();

    // A segment belongs to the block whose share of the work contains the segment's middle.
    const auto work_of = [&](std::int64_t size) {
        return size > 1 && !sizes.is_merged(size) ? static_cast<unsigned>(size) + work_of_counts : 0u;
    };
    unsigned own = 0;
    bool is_merged = false;
#pragma unroll 1
    for (int i = first; i < end; ++i) {
        const std::int64_t size = lists.range(sizes, i).size;
        own += work_of(size);
        is_merged |= sizes.is_merged(size);
    }
    const unsigned until = sum_until<32>(own);
    if (lane == 31) memory.of_warps[warp] = until;
    if (sizes.max_passes > 0 && blockIdx.x == 0) clear_state(*lists.state);
    is_merged = __syncthreads_or(static_cast<int>(is_merged)) != 0;
    const unsigned of_warp = lane < threads / 32 ? memory.of_warps[lane] : 0;
    unsigned before = static_cast<unsigned>(sum_of_warp(static_cast<int>(lane < warp ? of_warp : 0))) + until - own;
    const auto work = static_cast<unsigned>(sum_of_warp(static_cast<int>(of_warp)));
#pragma unroll 1
    for (int i = first; i < end; ++i) {
        const segment_range range = lists.range(sizes, i);
        const unsigned here = work_of(range.size);
        const std::int64_t middle = std::int64_t{before + here / 2} * gridDim.x - std::int64_t{work} * blockIdx.x;
        before += here;
        if (here == 0 || middle < 0 || middle >= work) continue;
        memory.segments[atomicAdd(&memory.count, 1)] = {static_cast<int>(range.begin), static_cast<int>(range.size)};
    }
    __syncthreads();

    const int count = memory.count;
    const auto segment = [&](int i) {
        return counted_keys<key>(arrays.data.keys + memory.segments[i].begin, memory.segments[i].size);
    };
    using start = counted_start<threads, key>;
    start next;
    bool has_next = false;
    int after = 0;  // the next segment
    std::int64_t part = is_merged ? std::int64_t{blockIdx.x} : sizes.max_parts();
#pragma unroll 1
    for (;;) {
        std::int64_t begin = 0, size = 0;
        key* out = arrays.data.keys;
        if (part < sizes.max_parts() && find_part_of_few<threads>(memory.found, sizes, lists, part, part == 0)) {
            const std::int64_t within = memory.found.within * sizes.part, left = memory.found.size - within;
            begin = memory.found.begin + within;
            size = left < sizes.part ? left : sizes.part;
            out = arrays.before(sizes.passes_of(memory.found.size).count).keys;
            if (thread == 0) lists.owner[part] = static_cast<unsigned>(memory.found.place);
            part += gridDim.x;
        } else {
            if (after == count) break;
            begin = memory.segments[after].begin;
            size = memory.segments[after++].size;
            part = sizes.max_parts();
        }
        const counted_keys<key> keys(arrays.data.keys + begin, static_cast<int>(size));
        const start now = has_next ? next : start(keys);
        has_next = part == sizes.max_parts() && after < count;
        sort_by_counting<typename Shape::compare>(memory.counts, keys, out + begin, now, [&] {
            if (has_next) next = start(segment(after));
        });
    }
    let_next_grid_begin();
}

/// All passes over the segments that are merged, by any number of blocks. Each block takes the next part that is left,
/// those of earlier passes first, so that it only waits for blocks that have already begun.
template <int MaxLevels, class Shape, class Offset>
__device__ __forceinline__ void merge_few_segments(unsigned char* shared, const segment_sizes& sizes,
                                                   const segment_lists<Offset>& lists,
                                                   const segment_arrays<Shape>& arrays,
                                                   const typename Shape::compare& compare)
{
    segment_state& state = *lists.state;
    if (state.merged(sizes).parts() == 0) return;
    int& next = merge_memory<Shape>{shared}.left_begin()[0];
    unsigned& taken = state.next_work[0];
    unsigned* const done = state.next_work + 1;  // finished parts of each pass
    for (;;) {
        if (threadIdx.x == 0) next = static_cast<int>(atomicAdd(&taken, 1u));
        __syncthreads();
        std::int64_t part = static_cast<unsigned>(next);
        int pass = 0;
        for (; pass < sizes.max_passes; ++pass) {
            const std::int64_t parts = state.merged(sizes, pass + 1).parts();
            if (part < parts) break;
            part -= parts;
        }
        if (pass == sizes.max_passes) return;
        if (pass > 0)
            wait_for_count(done[pass - 1], static_cast<unsigned>(state.merged(sizes, pass).parts()));
        else
            __syncthreads();  // merge_part uses the memory of `next`
        const segment_part own(sizes, lists, pass, part);
        merge_part<split_source::own_search, MaxLevels, Shape>(
            shared, own.task, behind(arrays.before(own.passes_left), own.begin),
            behind(arrays.before(own.passes_left - 1), own.begin), own.number, compare);
        publish_count(done[pass]);
    }
}

}  // namespace launchbox::detail
