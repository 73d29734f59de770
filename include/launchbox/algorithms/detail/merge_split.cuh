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

/// How many of the first `rank` elements of the stable merge of `Runs` runs lie in this thread's run. The threads of an
/// aligned group of `Runs` have a run each, and the same rank; all threads of the warp call it.
///
/// Of each run the elements [low, low + width) are in question. In each round the group takes one of them as pivot, and
/// each thread searches its run for how many come before it: all of them belong to the first, or none from the pivot on
/// does. The pivot is an element of the longest part: at first a little before where the border lies if the runs are
/// alike, then a little behind, so that of random runs the square root is left; then the middle, for all others.
template <int Runs, class Offset, class Key, class Less>
__device__ __forceinline__ Offset split_runs(const Key* run, Offset length, Offset rank, const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) % Runs;
    Offset low = 0, width = length < rank ? length : rank;
    for (int round = 0;; round = round == 2 ? 0 : round + 1) {
        const Offset all = sum_of_group<Runs>(width);
        if (rank >= all) {
            low += width;
            width = rank = 0;
        }
        if (!__any_sync(~0u, width > 0 && rank > 0)) return low;
        Offset longest = width;
        int owner = lane;
#pragma unroll
        for (int mask = 1; mask < Runs; mask *= 2) {
            const Offset other = shuffle_xor<Runs>(longest, mask);
            const int other_owner = shuffle_xor<Runs>(owner, mask);
            if (other > longest || (other == longest && other_owner < owner)) longest = other, owner = other_owner;
        }
        const float share = static_cast<float>(rank) / static_cast<float>(all > 0 ? all : 1);
        const float spread = sqrtf(static_cast<float>(longest)) * (round == 0 ? -1.f : 1.f);
        Offset at = round == 2 ? longest / 2 : static_cast<Offset>(static_cast<float>(longest) * share + spread);
        at = at >= longest ? longest - 1 : at < 0 ? 0 : at;
        raw_array<Key, 1> pivot;  // nothing where nothing is in question
        if (lane == owner && width > 0) pivot[0] = run[low + at];
        pivot[0] = shuffle_from(pivot[0], static_cast<int>(threadIdx.x) % 32 - lane + owner);
        // Of equal elements the one of the run further left comes first.
        Offset before = 0, count = lane == owner || rank == 0 ? 0 : width;
        while (count > 0) {
            const Offset half = count / 2;
            const Key& key = run[low + before + half];
            if (lane < owner ? !less(pivot[0], key) : less(key, pivot[0])) {
                before += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        if (lane == owner && width > 0) before = at;
        const Offset all_before = sum_of_group<Runs>(before);
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

}  // namespace launchbox::detail
