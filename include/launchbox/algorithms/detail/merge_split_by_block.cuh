// launchbox: merge_split.cuh's search by all threads of a block together. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/algorithms/detail/merge_split.cuh>

namespace launchbox::detail {

/// border_by_thread for an aligned group of 2^lane_bits threads and the `width` elements from `run` on. All threads of
/// the warp call it.
template <bool WithEqual, class Key, class Less>
__device__ __forceinline__ int border_by_group(int lane_bits, const Key* run, int width, part_of_run<int> part,
                                               const Key& pivot, const Less& less)
{
    // Each load of a warp touches as many sectors as it has threads: more than 32 samples per step, or 4 per thread,
    // would take longer than more steps.
    constexpr int most = 4;
    const int lanes = 1 << lane_bits, samples_bits = min(lane_bits + 2, 5), samples = 1 << samples_bits;
    const int in_warp = static_cast<int>(threadIdx.x) % 32, lane = in_warp & (lanes - 1);
    const unsigned of_group = ~0u >> (32 - lanes) << (in_warp - lane);
    int before = part.begin, left = part.end - part.begin;
    for (;;) {
        while (__any_sync(~0u, left > 0)) {
            const int stride = (left >> samples_bits) + 1;
            const auto place_of = [&](int i) { return (i * lanes + lane + 1) * stride; };
            raw_array<Key, most> keys;  // first, so that all loads are in flight at once
#pragma unroll
            for (int i = 0; i < most; ++i)
                if (left > 0 && i * lanes < samples) keys[i] = run[before + min(place_of(i), left) - 1];
            int count = 0;
#pragma unroll
            for (int i = 0; i < most; ++i) {
                bool is_before = false;
                if (left > 0 && i * lanes < samples)
                    is_before = WithEqual ? !less(pivot, keys[i]) : less(keys[i], pivot);
                is_before &= place_of(i) <= left;
                count += __popc(__ballot_sync(~0u, is_before) & of_group);
            }
            before += count * stride;
            left = min(left - count * stride, stride - 1);
        }
        const bool is_below = before == part.begin && before > 0, is_above = before == part.end && before < width;
        if (!__any_sync(~0u, is_below || is_above)) return before;
        if (is_below) {
            left = before;
            before = 0;
        } else if (is_above) {
            left = width - before;
        }
        if (is_below || is_above) part = {0, width};
    }
}

/// Whether the searches of a block add over whole warps with one instruction. With blocks of 128 threads and 4-byte
/// keys this makes sorts of up to 2^21 elements 3 to 10 % slower; other sorts take 2 to 6 % less time.
template <class Key, int Threads>
inline constexpr bool sums_warps = sizeof(Key) > 4 || Threads > 128;

/// What the threads of a block share in split_runs_by_block, for each half of the block; rounds alternate between two
/// buffers.
template <int MaxRuns>
struct found_parts {
    part_of_run<int> of_rounds[2][2][MaxRuns];
};

/// split_runs for a block, which searches for two borders at once: the first `Threads` / 2 threads for one, the others
/// for the other. A thread has run threadIdx.x % 2^levels. All warps of a half choose the same pivot, then each
/// searches some of the runs for it, with several threads per run. This takes fewer dependent steps, which matters if
/// no other block runs on the SM meanwhile.
template <int MaxLevels, int Threads, int MaxRuns, class Key, class Less>
__device__ __forceinline__ int split_runs_by_block(int levels, const Key* run, int length, int rank, int slack,
                                                   found_parts<MaxRuns>& found, const Less& less)
{
    static_assert(Threads >= 64, "merge_sort: the threads of a row are 64 or more");
    static_assert(1 << MaxLevels <= MaxRuns);
    const int bits_of_warps = 31 - __clz(Threads / 64);
    // A warp searches 2^searched_bits runs, each with 2^lane_bits threads.
    const int runs = 1 << levels, searched_bits = max(levels - bits_of_warps, 0), lane_bits = 5 - searched_bits;
    const int thread = static_cast<int>(threadIdx.x), in_warp = thread % 32, own = in_warp & (runs - 1);
    const int half = thread / (Threads / 2), warp = thread % (Threads / 2) / 32;
    const int first_searched = warp << searched_bits;
    const int searched = (first_searched + (in_warp >> lane_bits)) & (runs - 1);
    border_search<true, sums_warps<Key, Threads>, MaxLevels, int> search(levels, length, rank, slack);
#pragma unroll 1  // do not peel the first round
    for (;;) {
        // The same in all threads of a half; the vote tells the compiler so.
        const bool searches = __any_sync(~0u, search.begin_round()) != 0;
        auto& parts = found.of_rounds[search.round % 2][half];
        int owner = -1;
        if (searches) {
            const float share = search.share();
            const auto pivot = choose_pivot(run, search, share, less);
            owner = pivot.is_by_order || pivot.is_dense ? pivot.owner : -1;
            const int width = shuffle_from(search.width, searched);
            const Key* const begin = shuffle_from(run + search.low, searched);
            part_of_run<int> equal;
            const int ahead = shuffle_from(pivot.ahead, searched),
                      ahead_of_owner = shuffle_from(pivot.ahead, pivot.owner);
            const bool is_ahead = pivot.is_by_order && ahead < ahead_of_owner;
            const part_of_run<int> expected = expected_part(width, share, pivot, searched, is_ahead);
            equal.begin = border_by_group<false>(lane_bits, begin, width, expected, pivot.key[0], less);
            // Usually no other element equals the pivot.
            equal.end = equal.begin + (searched == pivot.owner ? 1 : 0);
            const bool has_equal = equal.end < width && !less(pivot.key[0], begin[equal.end]);
            if (__any_sync(~0u, has_equal)) {
                const int searched_end = has_equal ? width : equal.end;
                equal.end = border_by_group<true>(lane_bits, begin, searched_end,
                                                  {equal.end, min(equal.end + 64, searched_end)}, pivot.key[0], less);
            }
            if ((in_warp & ((1 << lane_bits) - 1)) == 0 && first_searched < runs) parts[searched] = equal;
        }
        if (__syncthreads_or(searches ? 1 : 0) == 0) return search.low;
        if (searches) search.end_round(parts[own], owner);
    }
}

}  // namespace launchbox::detail
