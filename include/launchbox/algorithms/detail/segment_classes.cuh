// launchbox: segments counted and listed by size. Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/segment_plan.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// Counts for a class, or for several: segments in the upper half of the word, and in the lower half the parts of those
/// that are merged.
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

/// What the kernels of a sort tell each other; all 0 at first.
struct segment_state {
    unsigned long long counts[segment_sizes::max_classes];  ///< words of segment_count
    unsigned next_work[segment_sizes::max_classes];         ///< work counters, one for each kernel that needs one
    unsigned overlap;  ///< not 0: segments overlap so much that the merged ones do not fit

    [[nodiscard]] __device__ __forceinline__ segment_count count_of(int own) const { return {counts[own]}; }
    /// How many segments of a class up to tile_bits are listed.
    [[nodiscard]] __device__ __forceinline__ std::int64_t listed(const segment_sizes& sizes, int own) const
    {
        const std::int64_t count = count_of(own).segments(), most = sizes.max_listed(own);
        return count < most ? count : most;
    }
    /// How many segments are merged in `passes` passes or more.
    [[nodiscard]] __device__ __forceinline__ segment_count merged(const segment_sizes& sizes, int passes = 1) const
    {
        segment_count all, sum;
        for (int i = 1; i <= sizes.max_passes; ++i) {
            all.word += counts[sizes.tile_bits + i];
            if (i >= passes) sum.word += counts[sizes.tile_bits + i];
        }
        return overlap == 0 && all.parts() <= sizes.max_parts() ? sum : segment_count{};
    }
};

struct segment_range {
    std::int64_t begin, size;
};

/// A segment that is merged.
struct merged_segment {
    std::int64_t begin, size;
    std::int64_t first_part;  ///< its number among the parts of its class
};

/// Where the segments are, and the lists.
template <class Offset>
struct segment_lists {
    const Offset* begins;
    const Offset* ends;
    segment_state* state;
    unsigned* by_class;      ///< numbers of the segments that are not merged; each class has max_listed(class) places
    merged_segment* merged;  ///< max_merged() places for segments of one pass, then for those of two, and so on
    unsigned* owner;         ///< for each part, those of the most passes first: where its segment is in `merged`

    /// A segment's offsets, unchecked.
    struct offsets {
        Offset begin, end;
    };
    [[nodiscard]] __device__ __forceinline__ offsets read(std::int64_t at) const { return {begins[at], ends[at]}; }
    /// A segment, clamped to the elements.
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

/// What a block of list_segments keeps in shared memory.
struct segment_counting {
    unsigned counts[segment_sizes::max_classes];
    long long firsts[segment_sizes::max_classes];
};

/// Enters the segments of a block's threads, one per thread, in the lists. Segments of class 0 are not listed.
template <int Threads, class Offset>
__device__ __forceinline__ void list_segments(segment_counting& shared, const segment_sizes& sizes,
                                              const segment_lists<Offset>& lists, const segment_range& range, int own,
                                              std::int64_t number)
{
    constexpr int classes = segment_sizes::max_classes;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    segment_state& state = *lists.state;
    if (own > sizes.tile_bits) {
        const unsigned long long one = 1ull << 32 | static_cast<unsigned long long>(sizes.parts_of(range.size));
        const segment_count before{atomicAdd(&state.counts[own], one)};
        const std::int64_t most = sizes.max_merged();
        if (before.segments() < most && before.parts() + sizes.parts_of(range.size) <= sizes.max_parts())
            lists.merged[(own - sizes.tile_bits - 1) * most + before.segments()] = {range.begin, range.size,
                                                                                    before.parts()};
        else
            state.overlap = 1;
        own = 0;
    }
    for (int i = thread; i < classes; i += Threads) shared.counts[i] = 0;
    __syncthreads();
    // The threads of the warp whose segments have the same class.
    const unsigned same = __match_any_sync(~0u, own);
    const int leader = __ffs(static_cast<int>(same)) - 1;
    unsigned first = 0;
    if (own != 0 && lane == leader) first = atomicAdd(&shared.counts[own], static_cast<unsigned>(__popc(same)));
    const unsigned rank = shuffle_from(first, leader) + static_cast<unsigned>(__popc(same & ((1u << lane) - 1)));
    __syncthreads();
    for (int i = thread; i < classes; i += Threads)
        if (shared.counts[i] > 0)
            shared.firsts[i] =
                segment_count{atomicAdd(&state.counts[i], static_cast<unsigned long long>(shared.counts[i]) << 32)}
                    .segments();
    __syncthreads();
    if (own == 0) return;
    const std::int64_t place = shared.firsts[own] + rank;
    if (place >= sizes.max_listed(own)) return;
    std::int64_t begin = 0;
    for (int i = sizes.first_class(); i < own; ++i) begin += sizes.max_listed(i);
    lists.by_class[begin + place] = static_cast<unsigned>(number);
}

/// The segment that a part belongs to: its place in `merged`, and the number of its first part among all parts.
struct part_owner {
    std::int64_t place, first_part;
};

/// Called by all threads of a warp.
template <class Offset>
__device__ __forceinline__ part_owner find_owner(const segment_sizes& sizes, const segment_lists<Offset>& lists,
                                                 std::int64_t part)
{
    int passes = sizes.max_passes;
    std::int64_t before = 0;
    for (; passes > 1; --passes) {
        const std::int64_t parts = lists.state->count_of(sizes.tile_bits + passes).parts();
        if (part < before + parts) break;
        before += parts;
    }
    const merged_segment* const of_class = lists.merged + (passes - 1) * sizes.max_merged();
    const std::int64_t lane = threadIdx.x % 32;
    std::int64_t begin = 0, count = lists.state->count_of(sizes.tile_bits + passes).segments();
    while (count > 1) {
        // Each lane looks at the first segment of one of up to 32 pieces; that of the first piece does not begin after
        // the part.
        const std::int64_t piece = (count + 31) / 32, at = lane * piece;
        const int behind = __popc(__ballot_sync(~0u, at >= count || of_class[begin + at].first_part > part - before));
        const std::int64_t skipped = (31 - behind) * piece;
        begin += skipped;
        count = count - skipped < piece ? count - skipped : piece;
    }
    return {of_class - lists.merged + begin, before + of_class[begin].first_part};
}

}  // namespace launchbox::detail
