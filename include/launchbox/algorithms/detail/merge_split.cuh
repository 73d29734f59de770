// launchbox: where the first elements of a merge lie in the runs that are merged. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// The sum over an aligned group of `Width` threads.
template <int Width, class Type>
__device__ __forceinline__ Type sum_of_group(Type value)
{
#pragma unroll
    for (int mask = 1; mask < Width; mask *= 2) value += shuffle_xor<Width>(value, mask);
    return value;
}

/// The run with the longest part of an aligned group of `Runs` threads, and its length; of several the leftmost.
template <int Runs, class Offset>
__device__ __forceinline__ int owner_of_longest(Offset& longest)
{
    int owner = static_cast<int>(threadIdx.x) % Runs;
#pragma unroll
    for (int mask = 1; mask < Runs; mask *= 2) {
        const Offset other = shuffle_xor<Runs>(longest, mask);
        const int other_owner = shuffle_xor<Runs>(owner, mask);
        if (other > longest || (other == longest && other_owner < owner)) longest = other, owner = other_owner;
    }
    return owner;
}

/// How many of the `count` elements of this thread's run from `run` on come before the pivot, element `at` of the
/// `owner`'s. `share`: of the elements of all runs that are expected to; a good guess saves half of the search.
template <int Runs, class Offset, class Key, class Less>
__device__ __forceinline__ Offset count_before(const Key* run, Offset count, int owner, Offset at, float share,
                                               const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) % Runs;
    raw_array<Key, 1> pivot;  // nothing where nothing is in question
    if (lane == owner && count > 0) pivot[0] = run[at];
    pivot[0] = shuffle_from(pivot[0], static_cast<int>(threadIdx.x) % 32 - lane + owner);
    if (lane == owner) return count > 0 ? at : 0;
    // Of equal elements the one of the run further left comes first.
    const auto is_before = [&](const Key& key) { return lane < owner ? !less(pivot[0], key) : less(key, pivot[0]); };
    Offset before = 0;
    if (count > 64) {
        const float middle = static_cast<float>(count) * share, spread = 2 * sqrtf(static_cast<float>(count));
        Offset low = static_cast<Offset>(middle - spread), high = static_cast<Offset>(middle + spread);
        low = low < 0 ? 0 : low;
        high = high >= count ? count - 1 : high;
        const bool low_is_before = is_before(run[low]), high_is_before = is_before(run[high]);
        if (!low_is_before) {
            count = low;
        } else if (high_is_before) {
            before = high + 1;
            count -= before;
        } else {
            before = low + 1;
            count = high - before;
        }
    }
    while (count > 0) {
        const Offset half = count / 2;
        if (is_before(run[before + half])) {
            before += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return before;
}

/// How many of the first `rank` elements of the stable merge of `Runs` runs lie in this thread's run. The threads of an
/// aligned group of `Runs` have a run each, and the same rank; all threads of the warp call it.
///
/// Of each run the elements [low, low + width) are in question. In each round the group takes one of them as pivot, and
/// each thread searches its run for how many come before it: all of them belong to the first, or none from the pivot on
/// does. The pivot is an element of the longest part: at first a little before where the border lies if the runs are
/// alike, then a little behind, so that of random runs the square root is left. Where that did not help, the middle.
template <int Runs, class Offset, class Key, class Less>
__device__ __forceinline__ Offset split_runs(const Key* run, Offset length, Offset rank, const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) % Runs;
    Offset low = 0, width = length < rank ? length : rank, all_at_first = 0;
    for (int round = 0;; ++round) {
        const Offset all = sum_of_group<Runs>(width);
        if (rank >= all) {
            low += width;
            width = rank = 0;
        }
        if (!__any_sync(~0u, width > 0 && rank > 0)) return low;
        if (round % 3 == 2 && all < all_at_first / 4) ++round;
        if (round % 3 == 0) all_at_first = all;
        Offset longest = width;
        const int owner = owner_of_longest<Runs>(longest);
        const float share = static_cast<float>(rank) / static_cast<float>(all > 0 ? all : 1);
        const float spread = sqrtf(static_cast<float>(longest)) * (round % 3 == 0 ? -1.f : 1.f);
        Offset at = round % 3 == 2 ? longest / 2
                                   : static_cast<Offset>(static_cast<float>(longest) * share + spread);
        at = at >= longest ? longest - 1 : at;
        at = at < 0 ? 0 : at;
        Offset before = count_before<Runs>(run + low, rank > 0 ? width : 0, owner, at, share, less);
        const Offset all_before = sum_of_group<Runs>(before);
        if (rank == 0) continue;  // of this group; others of the warp go on
        if (all_before >= rank) {
            width = before;
        } else {
            before += lane == owner ? 1 : 0;
            low += before;
            width -= before;
            rank -= all_before + 1;
        }
    }
}

/// The same for a block, which looks for two ranks at once, with 16 pivots each in a round: fewer steps, which counts
/// where no other block can run meanwhile. The first `Threads` / 2 threads look for one, the others for the other, each
/// aligned group of `Runs` with a pivot of its own. Once there are no more elements in question than threads, each thread
/// counts those before its own. `counts` has room for a number for each thread, `totals` for 32; `room` for as many keys
/// as there are threads.
template <int Runs, int Threads, class Key, class Less>
__device__ __forceinline__ int split_runs_by_block(const Key* run, int length, int rank, int* counts, int* totals,
                                                   Key* room, const Less& less)
{
    constexpr int of_half = Threads / 2 / Runs, groups = of_half < 16 ? of_half : 16;
    static_assert(of_half >= 1);
    const int thread = static_cast<int>(threadIdx.x), lane = thread % Runs;
    const int half = thread / (Threads / 2), group = thread % (Threads / 2) / Runs;
    int low = 0, width = length < rank ? length : rank;
    for (int round = 0;; ++round) {
        const int all = sum_of_group<Runs>(width);
        if (rank >= all) {
            low += width;
            width = rank = 0;
        }
        int longest = width;
        const int owner = owner_of_longest<Runs>(longest);
        const float share = static_cast<float>(rank) / static_cast<float>(all > 0 ? all : 1);
        int at = (longest * (group + 1)) / (groups + 1);
        if (round == 0)
            at = static_cast<int>(static_cast<float>(longest) * share +
                                  static_cast<float>(2 * group + 1 - groups) / groups *
                                      (2 * sqrtf(static_cast<float>(longest))));
        at = at >= longest ? longest - 1 : at;
        at = at < 0 ? 0 : at;
        const int before = count_before<Runs>(run + low, group < groups && rank > 0 ? width : 0, owner, at, share, less);
        const int all_before = sum_of_group<Runs>(before);
        counts[thread] = before;
        if (lane == 0 && group < groups) totals[half * 16 + group] = rank > 0 ? all_before : -1;
        __syncthreads();
        // The last pivot of those that belong to the first elements, and the first of the others.
        int last = -1, next = -1;
#pragma unroll
        for (int i = 0; i < groups; ++i) {
            const int total = totals[half * 16 + i];
            if (total < rank) {
                if (last < 0 || total > totals[half * 16 + last]) last = i;
            } else if (next < 0 || total < totals[half * 16 + next]) {
                next = i;
            }
        }
        if (rank > 0) {
            const int* of_this_run = counts + half * (Threads / 2) + lane;
            const int end = next < 0 ? width : of_this_run[next * Runs];
            int begin = 0;
            if (last >= 0) {
                begin = of_this_run[last * Runs] + (lane == owner ? 1 : 0);
                rank -= totals[half * 16 + last] + 1;
            }
            low += begin;
            width = end - begin;
        }
        const int left = sum_of_group<Runs>(rank > 0 ? width : 0);
        __syncthreads();
        if (thread % (Threads / 2) == 0) totals[half * 16] = left;
        __syncthreads();
        const bool is_done = totals[0] <= Threads / 2 && totals[16] <= Threads / 2;
        __syncthreads();
        if (is_done) break;
    }
    if (rank == 0) width = 0;
    // The elements of each run one after the other, those of the other half behind them.
    int begin = width;
#pragma unroll
    for (int step = 1; step < Runs; step *= 2) {
        const int other = __shfl_up_sync(~0u, begin, static_cast<unsigned>(step), Runs);
        if (lane >= step) begin += other;
    }
    begin -= width;
    constexpr int most = Threads / 2;
    int* owners = counts;  // of each element its run
    Key* keys = room + half * most;
    for (int i = group; i < width; i += of_half) {
        keys[begin + i] = run[low + i];
        owners[half * most + begin + i] = lane;
    }
    const int all = sum_of_group<Runs>(width);
    if (thread % most < Runs) totals[half * 16 + lane] = 0;
    __syncthreads();
    if (const int own = thread % most; own < all) {
        const int owner = owners[half * most + own];
        int before = 0;
        for (int i = 0; i < all; ++i) {
            // Elements lie in the order of their runs: of equal ones the first comes first.
            before += (i < own ? !less(keys[own], keys[i]) : less(keys[i], keys[own])) ? 1 : 0;
        }
        if (before < rank) atomicAdd(&totals[half * 16 + owner], 1);
    }
    __syncthreads();
    return low + totals[half * 16 + lane];
}

}  // namespace launchbox::detail
