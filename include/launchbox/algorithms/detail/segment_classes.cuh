// launchbox: segments counted and listed by size. Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/segment_plan.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// Of a class, or of a prefix of them: segments in the upper half, their parts in the lower; parts of merged ones only.
struct segment_count {
    std::uint64_t word = 0;

    [[nodiscard]] __device__ __forceinline__ std::int64_t segments() const
    {
        return static_cast<std::int64_t>(word >> 32);
    }
    [[nodiscard]] __device__ __forceinline__ std::int64_t parts() const
    {
        return static_cast<std::int64_t>(word & 0xffffffffu);
    }
};

/// What the kernels of a sort tell each other, of which all is 0 at first.
struct segment_state {
    unsigned long long counts[segment_sizes::max_classes];  ///< words of segment_count
    unsigned long long listed[segment_sizes::max_classes];  ///< the same, of those that have their place
    unsigned next_work[segment_sizes::max_classes];         ///< for each kernel that hands out its work

    /// How many there are in the classes from `first` to `last`.
    [[nodiscard]] __device__ __forceinline__ segment_count among(int first, int last) const
    {
        segment_count sum;
        for (int i = first; i <= last; ++i) sum.word += counts[i];
        return sum;
    }
    /// How many are merged, in `passes` passes or more. None if segments overlap so much that they do not fit.
    [[nodiscard]] __device__ __forceinline__ segment_count merged(const segment_sizes& sizes, int passes = 1) const
    {
        const int last = sizes.tile_bits + sizes.max_passes;
        const segment_count all = among(sizes.tile_bits + 1, last);
        if (all.segments() > sizes.max_merged() || all.parts() > sizes.max_parts()) return {};
        return passes == 1 ? all : among(sizes.tile_bits + passes, last);
    }
};

struct segment_range {
    std::int64_t begin, size;
};

/// A segment that is merged.
struct merged_segment {
    std::int64_t begin, size;
    std::int64_t first_part;  ///< of all parts
};

/// Where the segments are, and the lists.
template <class Offset>
struct segment_lists {
    const Offset* begins;
    const Offset* ends;
    segment_state* state;
    unsigned* by_class;      ///< numbers of the segments that are not merged, class after class
    merged_segment* merged;  ///< those that take most passes first
    unsigned* owner;         ///< of each part: the number of its merged segment

    /// A segment's offsets, as they are.
    struct offsets {
        Offset begin, end;
    };
    [[nodiscard]] __device__ __forceinline__ offsets read(std::int64_t at) const { return {begins[at], ends[at]}; }
    /// A segment, as far as it lies within the elements.
    [[nodiscard]] static __device__ __forceinline__ segment_range range(const segment_sizes& sizes, const offsets& of)
    {
        const auto clamped = [&](Offset offset) {
            const auto place = static_cast<std::int64_t>(offset);
            return place < 0 ? 0 : place < sizes.n ? place : sizes.n;
        };
        const std::int64_t begin = clamped(of.begin), end = clamped(of.end);
        return {begin, end > begin ? end - begin : 0};
    }
    [[nodiscard]] __device__ __forceinline__ segment_range range(const segment_sizes& sizes, std::int64_t at) const
    {
        return range(sizes, read(at));
    }
};

/// A block counts the segments of each class, or gives each its place in the lists. `Items` segments for a thread.
struct segment_counting {
    unsigned counts[segment_sizes::max_classes];
    long long firsts[segment_sizes::max_classes];
};

template <bool Places, int Threads, int Items, class Offset>
__device__ __forceinline__ void count_segments(segment_counting& shared, const segment_sizes& sizes,
                                               const segment_lists<Offset>& lists, std::int64_t block)
{
    constexpr int classes = segment_sizes::max_classes;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    segment_state& state = *lists.state;
    for (int i = thread; i < classes; i += Threads) shared.counts[i] = 0;
    __syncthreads();
    raw_array<unsigned, Items> ranks;
    raw_array<int, Items> own;
    const auto place_of = [&](int i) { return (block * Items + i) * Threads + thread; };
    // First, so that all reads are in flight at once.
#pragma unroll
    for (int i = 0; i < Items; ++i)
        own[i] = place_of(i) < sizes.segments ? sizes.class_of(lists.range(sizes, place_of(i)).size) : 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        if (own[i] > sizes.tile_bits) {
            const segment_range range = lists.range(sizes, place_of(i));
            const unsigned long long one = 1ull << 32 | static_cast<unsigned long long>(sizes.parts_of(range.size));
            if constexpr (Places) {
                const segment_count before{state.among(own[i] + 1, sizes.tile_bits + sizes.max_passes).word +
                                           atomicAdd(&state.listed[own[i]], one)};
                if (before.segments() < state.merged(sizes).segments())
                    lists.merged[before.segments()] = {range.begin, range.size, before.parts()};
            } else {
                atomicAdd(&state.counts[own[i]], one);
            }
            own[i] = 0;
        }
        // The threads of a warp that have the same class.
        const unsigned same = __match_any_sync(~0u, own[i]);
        const int leader = __ffs(static_cast<int>(same)) - 1;
        unsigned first = 0;
        if (own[i] != 0 && lane == leader)
            first = atomicAdd(&shared.counts[own[i]], static_cast<unsigned>(__popc(same)));
        ranks[i] = shuffle_from(first, leader) + static_cast<unsigned>(__popc(same & ((1u << lane) - 1)));
    }
    __syncthreads();
    if (thread < classes && shared.counts[thread] > 0) {
        const unsigned long long count = static_cast<unsigned long long>(shared.counts[thread]) << 32;
        if constexpr (Places)
            shared.firsts[thread] = static_cast<long long>(
                segment_count{state.among(1, thread - 1).word + atomicAdd(&state.listed[thread], count)}.segments());
        else
            atomicAdd(&state.counts[thread], count);
    }
    if constexpr (Places) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Items; ++i)
            if (own[i] != 0) lists.by_class[shared.firsts[own[i]] + ranks[i]] = static_cast<unsigned>(place_of(i));
    }
}

/// Which merged segment a part belongs to.
template <class Offset>
__device__ __forceinline__ void find_owner(const segment_sizes& sizes, const segment_lists<Offset>& lists,
                                           std::int64_t part)
{
    const segment_count all = lists.state->merged(sizes);
    if (part >= all.parts()) return;
    std::int64_t begin = 0, end = all.segments();
    while (end - begin > 1) {
        const std::int64_t middle = (begin + end) / 2;
        const bool is_behind = lists.merged[middle].first_part > part;
        begin = is_behind ? begin : middle;
        end = is_behind ? middle : end;
    }
    lists.owner[part] = static_cast<unsigned>(begin);
}

}  // namespace launchbox::detail
