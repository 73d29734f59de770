// launchbox: the split of merge_split.cuh by all threads of a block together. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/algorithms/detail/merge_split.cuh>

namespace launchbox::detail {

/// The same as border_by_thread by an aligned group of `Lanes` threads, of the `width` elements from `run` on. All
/// threads of the warp call it.
template <bool WithEqual, int Lanes, class Key, class Less>
__device__ __forceinline__ int border_by_group(const Key* run, int width, part_of_run<int> part, const Key& pivot,
                                               const Less& less)
{
    // Each load of a warp touches as many sectors as it has threads: more samples per step would take longer than more
    // steps.
    constexpr int batch = Lanes < 8 ? 4 : 32 / Lanes;
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    int before = part.begin, left = part.end - part.begin;
    for (;;) {
        while (__any_sync(~0u, left > 0)) {
            const int stride = left / (Lanes * batch) + 1;
            int count = 0;
            if (left > 0) {
                raw_array<Key, batch> keys;  // first, so that all loads are in flight at once
#pragma unroll
                for (int i = 0; i < batch; ++i) keys[i] = run[before + min((i * Lanes + lane + 1) * stride, left) - 1];
#pragma unroll
                for (int i = 0; i < batch; ++i) {
                    const bool is_before = WithEqual ? !less(pivot, keys[i]) : less(keys[i], pivot);
                    count += (i * Lanes + lane + 1) * stride <= left && is_before ? 1 : 0;
                }
            }
            count = sum_of_group<Lanes>(count);
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

/// What the threads of a block share in split_runs_by_block: for each half of the block, in two buffers that rounds
/// alternate between.
template <int MaxRuns>
struct found_parts {
    part_of_run<int> of_rounds[2][2][MaxRuns];
};

/// The same as split_runs for a block, which looks for two borders at once, the first `Threads` / 2 threads for one and
/// the others for the other. A thread has the run number threadIdx.x % `Runs`. It takes fewer dependent steps, which
/// counts where no other block runs on the SM meanwhile: all warps of a half choose the same pivot, then each searches
/// some of the runs for it, with several threads for a run.
template <int Runs, int Threads, int MaxRuns, class Key, class Less>
__device__ __forceinline__ int split_runs_by_block(const Key* run, int length, int rank, int slack,
                                                   found_parts<MaxRuns>& found, const Less& less)
{
    static_assert(Threads >= 64 && Runs <= 32);
    constexpr int warps = Threads / 64, runs_of_warp = Runs > warps ? Runs / warps : 1, lanes = 32 / runs_of_warp;
    const int thread = static_cast<int>(threadIdx.x), in_warp = thread % 32, own = in_warp % Runs;
    const int half = thread / (Threads / 2), warp = thread % (Threads / 2) / 32;
    const int first_searched = warp * runs_of_warp, searched = (first_searched + in_warp / lanes) % Runs;
    border_search<Runs, int> search(length, rank, slack);
#pragma unroll 1  // without a copy of the first round
    for (;;) {
        const bool searches = search.begin_round();  // the same in all threads of a half
        auto& parts = found.of_rounds[search.round % 2][half];
        int owner = -1;
        if (searches) {
            const float share = search.share();
            const auto pivot = choose_pivot<Runs, true>(run, search, share, less);
            owner = pivot.is_by_order || pivot.is_dense ? pivot.owner : -1;
            const int width = shuffle_from(search.width, searched);
            const Key* const begin = shuffle_from(run + search.low, searched);
            part_of_run<int> equal;
            const bool is_ahead =
                pivot.is_by_order && shuffle_from(pivot.ahead, searched) < shuffle_from(pivot.ahead, pivot.owner);
            const part_of_run<int> expected = expected_part(width, share, pivot, searched, is_ahead);
            equal.begin = border_by_group<false, lanes>(begin, width, expected, pivot.key[0], less);
            // Usually only the pivot itself equals the pivot.
            equal.end = equal.begin + (searched == pivot.owner ? 1 : 0);
            const bool has_equal = equal.end < width && !less(pivot.key[0], begin[equal.end]);
            if (__any_sync(~0u, has_equal)) {
                const int searched_end = has_equal ? width : equal.end;
                equal.end = border_by_group<true, lanes>(
                    begin, searched_end, {equal.end, min(equal.end + 64, searched_end)}, pivot.key[0], less);
            }
            if (in_warp % lanes == 0 && first_searched < Runs) parts[searched] = equal;
        }
        if (__syncthreads_or(searches ? 1 : 0) == 0) return search.low;
        if (searches) search.end_round(parts[own], owner);
    }
}

}  // namespace launchbox::detail
