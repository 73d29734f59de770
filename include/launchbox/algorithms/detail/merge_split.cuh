// launchbox: where the first elements of a merge lie in the runs that are merged. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// How many of the first `rank` elements of the stable merge of `Runs` runs lie in this thread's run. The threads of an
/// aligned group of `Runs` have a run each, and the same rank; all threads of the warp call it. Of each run the elements
/// [low, low + width) are in question. In each round every thread looks at the element in the middle of its own, and
/// learns from the others' how many elements must, and how many can, come before it. That decides for it unless the two
/// lie on different sides of the rank; at least one thread's is decided, most often nearly all.
template <int Runs, class Offset, class Key, class Less>
__device__ __forceinline__ Offset split_runs(const Key* run, Offset length, Offset rank, const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) % Runs;
    Offset low = 0, width = length < rank ? length : rank;
    while (__any_sync(~0u, width > 0 && rank > 0)) {
        const Offset half = width / 2;
        raw_array<Key, 1> own;  // nothing where nothing is in question: such a run counts as empty, whatever its key
        if (width > 0) own[0] = run[low + half];
        const Key& key = own[0];
        Offset surely = half, perhaps = half;
#pragma unroll
        for (int mask = 1; mask < Runs; ++mask) {
            const Key other = shuffle_xor<Runs>(key, mask);
            const Offset other_half = shuffle_xor<Runs>(half, mask), other_width = shuffle_xor<Runs>(width, mask);
            const bool other_is_left = (lane ^ mask) < lane;
            // Of equal elements the one of the run further left comes first.
            const bool is_before = other_is_left ? !less(key, other) : less(other, key);
            surely += is_before && other_width > 0 ? other_half + 1 : 0;
            perhaps += is_before ? other_width : other_half;
        }
        Offset taken = 0;
        if (surely >= rank) {
            width = half;
        } else if (width > 0 && perhaps < rank) {
            taken = half + 1;
            low += taken;
            width -= taken;
        }
#pragma unroll
        for (int mask = 1; mask < Runs; mask *= 2) taken += shuffle_xor<Runs>(taken, mask);
        rank -= taken;
    }
    return low;
}

}  // namespace launchbox::detail
