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

/// The sum over the threads of an aligned group up to and including this one.
template <int Width, class Type>
__device__ __forceinline__ Type sum_until(Type value)
{
    const int thread = static_cast<int>(threadIdx.x) % 32, lane = thread % Width;
#pragma unroll
    for (int step = 1; step < Width; step *= 2) {
        const Type other = shuffle_from(value, thread - (lane >= step ? step : 0));
        if (lane >= step) value += other;
    }
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

/// About a / b and the square root: those of the language take several times as long.
__device__ __forceinline__ float about_quotient(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fdividef(a, b);
#else
    return a / b;
#endif
}
__device__ __forceinline__ float about_square_root(float x)
{
#ifdef __CUDA_ARCH__
    return x * rsqrtf(x);  // not of 0
#else
    return std::sqrt(x);
#endif
}

/// Element `at` of the run `owner` of a group.
template <class Offset>
struct pivot_place {
    int owner;
    Offset at;
};

/// Where element number `rank` lies if the runs of an aligned group of `Runs` threads, of `width` elements, rise from
/// one to the next, or fall, so that none overlap. `all`, the sum of the widths, is more than `rank`, or the place is
/// of no meaning.
template <int Runs, class Offset>
__device__ __forceinline__ pivot_place<Offset> place_in_order(Offset width, Offset all, Offset rank, bool runs_fall)
{
    const int in_warp = static_cast<int>(threadIdx.x) % 32, first = in_warp - in_warp % Runs;
    const Offset until = sum_until<Runs>(width), ahead = runs_fall ? all - until : until - width;
    const unsigned owners = __ballot_sync(~0u, ahead <= rank && rank < ahead + width) >> first & (~0u >> (32 - Runs));
    const int owner = owners == 0 ? 0 : __ffs(static_cast<int>(owners)) - 1;
    return {owner, shuffle_from(rank - ahead, first + owner)};
}

/// Elements [begin, end) of a part of a run.
template <class Offset>
struct part_of_run {
    Offset begin, end;
};

/// Of the `count` elements of this thread's run from `run` on, those that are neither before nor behind the pivot,
/// element `at` of the `owner`'s. `share`: of the elements of every run that are expected before it; a good guess saves
/// half of the search.
template <int Runs, class Offset, class Key, class Less>
__device__ __forceinline__ part_of_run<Offset> find_equal(const Key* run, Offset count, int owner, Offset at,
                                                          float share, const Less& less)
{
    const int lane = static_cast<int>(threadIdx.x) % Runs;
    raw_array<Key, 1> shared;  // nothing where nothing is in question
    if (lane == owner && count > 0) shared[0] = run[at];
    shared[0] = shuffle_from(shared[0], static_cast<int>(threadIdx.x) % 32 - lane + owner);
    const Key& pivot = shared[0];
    Offset before = 0, left = count;
    if (count > 64 || (lane == owner && count > 0)) {
        const float middle = static_cast<float>(count) * share;
        const float spread = 1.5f * about_square_root(static_cast<float>(count));
        // Of its own run the pivot is mostly the first of those that equal it.
        Offset low = lane == owner ? at - 1 : static_cast<Offset>(middle - spread);
        Offset high = lane == owner ? at : static_cast<Offset>(middle + spread);
        low = low < 0 ? 0 : low;
        high = high >= count ? count - 1 : high;
        const bool low_is_before = less(run[low], pivot), high_is_before = less(run[high], pivot);
        if (!low_is_before) {
            left = low;
        } else if (high_is_before) {
            before = high + 1;
            left = count - before;
        } else {
            before = low + 1;
            left = high - before;
        }
    }
    while (left > 0) {
        const Offset half = left / 2;
        if (less(run[before + half], pivot)) {
            before += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    // Mostly there is none or one; if not, steps that grow fast find an element behind all that are equal.
    Offset end = lane == owner && count > 0 ? at + 1 : before, behind = count, step = 1;
    for (; step <= count - end; step *= 32) {
        if (less(pivot, run[end + step - 1])) {
            behind = end + step - 1;
            break;
        }
        end += step;
    }
    while (end < behind) {
        const Offset middle = end + (behind - end) / 2;
        if (less(pivot, run[middle]))
            behind = middle;
        else
            end = middle + 1;
    }
    return {before, end};
}

/// How many of the first `rank` of elements that are all equal lie in this thread's run, which has `count` of them:
/// those of runs further left come first.
template <int Runs, class Offset>
__device__ __forceinline__ Offset share_of_equal(Offset count, Offset rank)
{
    const Offset left = rank - (sum_until<Runs>(count) - count);
    return left < 0 ? 0 : left < count ? left : count;
}

/// How many of the first `rank` elements of the stable merge of `Runs` runs lie in this thread's run. The threads of an
/// aligned group of `Runs` have a run each, and the same rank; all threads of the warp call it.
///
/// Of each run the elements [low, low + width) are in question. In each round the group takes one of them as pivot, and
/// each thread searches its run for those that equal it. The border lies before all of them, behind, or among them, and
/// then is found. The pivot is an element of the longest part: at first a little before where the border lies if the
/// runs are alike, then a little behind, so that of random runs the square root is left. Where that did not help, it is
/// the element at the border if the runs rise from one to the next, then if they fall, then the middle of the longest.
template <int Runs, class Offset, class Key, class Less>
__device__ __forceinline__ Offset split_runs(const Key* run, Offset length, Offset rank, const Less& less)
{
    Offset low = 0, width = length < rank ? length : rank, all_at_first = 0;
    for (int round = 0;; ++round) {
        const Offset all = sum_of_group<Runs>(width);
        if (rank >= all) {
            low += width;
            width = rank = 0;
        }
        if (!__any_sync(~0u, width > 0 && rank > 0)) return low;
        // All threads of the warp do all of this, since the rounds of its groups differ.
        if (round % 5 == 2 && all < all_at_first / 2) round += 3;
        const int kind = round % 5;
        if (kind == 0) all_at_first = all;
        Offset longest = width;
        int owner = owner_of_longest<Runs>(longest);
        const float share = about_quotient(static_cast<float>(rank), static_cast<float>(all > 0 ? all : 1));
        const float of_longest = static_cast<float>(longest > 0 ? longest : 1);
        const float spread = about_square_root(of_longest) * (kind == 0 ? -.35f : .35f);
        Offset at = kind == 4 ? longest / 2 : static_cast<Offset>(of_longest * share + spread);
        at = at >= longest ? longest - 1 : at;
        at = at < 0 ? 0 : at;
        const float before = about_quotient(static_cast<float>(at), of_longest);
        const bool seeks_order = kind == 2 || kind == 3;
        if (__any_sync(~0u, seeks_order)) {
            const auto in_order = place_in_order<Runs>(width, all, rank, kind == 3);
            if (seeks_order) owner = in_order.owner, at = in_order.at;
        }
        const auto equal = find_equal<Runs>(run + low, rank > 0 ? width : 0, owner, at, before, less);
        const Offset all_before = sum_of_group<Runs>(equal.begin), all_until = sum_of_group<Runs>(equal.end);
        const Offset among = share_of_equal<Runs>(equal.end - equal.begin, rank - all_before);
        if (rank == 0) {
            width = 0;  // of this group; others of the warp go on
        } else if (rank <= all_before) {
            width = equal.begin;
        } else if (rank >= all_until) {
            low += equal.end;
            width -= equal.end;
            rank -= all_until;
        } else {
            low += equal.begin + among;
            width = rank = 0;
        }
    }
}

/// A pivot for a round of split_runs_by_block: element `at` of the run `owner`.
template <class Key>
struct block_pivot {
    int owner, at;
    raw_array<Key, 1> key;
};

/// Chooses the pivot for the element number `rank` of the `all` in question, [low, low + width) of each thread's run, by
/// a warp: of the elements of all runs where it is expected, that in the middle, runs weighted by what is in question.
/// Of random runs it is several times as near as one of them. `seeks_order`: instead the one that is right if the runs
/// do not overlap.
template <int Runs, class Key, class Less>
__device__ __forceinline__ block_pivot<Key> choose_pivot(const Key* run, int low, int width, int all, int rank,
                                                         float share, bool seeks_order, const Less& less)
{
    const int in_warp = static_cast<int>(threadIdx.x) % 32, own = in_warp % Runs;
    const int within = min(static_cast<int>(static_cast<float>(width) * share), width - 1);
    block_pivot<Key> pivot;
    pivot.at = low + within;
    if (width > 0) pivot.key[0] = run[pivot.at];
    // A comparator sees nothing but keys.
    const int some = __ffs(static_cast<int>(__ballot_sync(~0u, width > 0))) - 1;
    pivot.key[0] = shuffle_from(pivot.key[0], width > 0 ? in_warp : some);
    // Each thread compares its run with some of the runs.
    constexpr int compared = Runs * Runs > 32 ? Runs * Runs / 32 : 1;
    int ahead = 0;
#pragma unroll
    for (int i = 0; i < compared; ++i) {
        const int other = (in_warp / Runs * compared + i) % Runs;
        const Key key = shuffle_from(pivot.key[0], other);
        const int weight = shuffle_from(width, other);
        const bool is_left = other < own;  // of equal elements the left comes first
        const bool is_ahead = less(is_left ? pivot.key[0] : key, is_left ? key : pivot.key[0]) != is_left;
        ahead += is_ahead && other != own ? weight : 0;
    }
#pragma unroll
    for (int mask = Runs; mask < Runs * Runs / compared; mask *= 2) ahead += shuffle_xor<32>(ahead, mask);
    const int target = seeks_order ? rank : all / 2;
    pivot.owner = __ffs(static_cast<int>(__ballot_sync(~0u, ahead <= target && target < ahead + width))) - 1;
    if (seeks_order) {
        pivot.at = low + target - ahead;
        if (in_warp == pivot.owner) pivot.key[0] = run[pivot.at];
    }
    pivot.at = shuffle_from(pivot.at, pivot.owner);
    pivot.key[0] = shuffle_from(pivot.key[0], pivot.owner);
    return pivot;
}

/// How many of the `width` elements from `run` on come before the pivot, with `WithEqual` those that equal it too, by an
/// aligned group of `Lanes` threads; all threads of the warp call it. It looks at [first, last) first.
template <bool WithEqual, int Lanes, class Key, class Less>
__device__ __forceinline__ int count_before(const Key* run, int width, const Key& pivot, int first, int last,
                                            const Less& less)
{
    // Each read of a warp is of as many sectors as it has threads: more samples a step would take longer than more steps.
    constexpr int batch = Lanes < 8 ? 4 : 32 / Lanes;
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    int before = first, left = last - first;
    for (;;) {
        while (__any_sync(~0u, left > 0)) {
            const int stride = left / (Lanes * batch) + 1;
            int count = 0;
            if (left > 0) {
                raw_array<Key, batch> keys;  // first, so that all reads are on their way at once
#pragma unroll
                for (int i = 0; i < batch; ++i)
                    keys[i] = run[before + min((i * Lanes + lane + 1) * stride, left) - 1];
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
        const bool is_below = before == first && first > 0, is_above = before == last && last < width;
        if (!__any_sync(~0u, is_below || is_above)) return before;
        if (is_below) {
            before = 0;
            left = first;
        } else if (is_above) {
            left = width - last;
        }
        if (is_below || is_above) first = 0, last = width;
    }
}

/// The same for a block, which looks for two ranks at once, the first `Threads` / 2 threads for one and the others for
/// the other. A thread has the run number threadIdx.x % `Runs`. Fewer steps wait for another, which counts where no
/// other block can run meanwhile: in a round all warps of a half choose the same pivot, then each searches some of the
/// runs for it, with several threads for a run. The split may be that of another rank, by up to `slack` more or less:
/// one that depends on the runs, the rank and the slack alone. `found` is for the threads of the block to share.
template <int Runs>
struct found_parts {
    part_of_run<int> in_turns[2][2][Runs];  // of each half
};

template <int Runs, int Threads, int MostRuns, class Key, class Less>
__device__ __forceinline__ int split_runs_by_block(const Key* run, int length, int rank, int slack,
                                                   found_parts<MostRuns>& found, const Less& less)
{
    static_assert(Threads >= 64 && Runs <= 32);
    constexpr int warps = Threads / 64, runs_of_warp = Runs > warps ? Runs / warps : 1, lanes = 32 / runs_of_warp;
    const int thread = static_cast<int>(threadIdx.x), in_warp = thread % 32, own = in_warp % Runs;
    const int half = thread / (Threads / 2), warp = thread % (Threads / 2) / 32;
    const int first_searched = warp * runs_of_warp, searched = (first_searched + in_warp / lanes) % Runs;
    int low = 0, width = min(length, rank + slack), last_all = 0;
    for (int round = 0;; ++round) {
        const int all = sum_of_group<Runs>(width);
        if (rank >= all) {
            low += width;
            rank = 0;
        }
        const bool searches = rank > 0;  // the same in all threads of a half
        auto& parts = found.in_turns[round % 2][half];
        if (searches) {
            // Where the last round did not help, the runs are not alike; in the end each round leaves 3/4 at most.
            const bool halves = round >= 8, seeks_order = round > 0 && all > last_all / 4 && !halves;
            const float share =
                halves ? .5f : about_quotient(static_cast<float>(rank), static_cast<float>(all));
            const auto pivot = choose_pivot<Runs>(run, low, width, all, rank, share, seeks_order, less);
            const int of_searched = shuffle_from(width, searched);
            const Key* const begin = shuffle_from(run + low, searched);
            const float expected = static_cast<float>(of_searched) * share;
            const float spread = 4 * about_square_root(expected * (1 - share) + .25f);
            const int first = max(static_cast<int>(expected - spread), 0);
            const int last = min(static_cast<int>(expected + spread) + 1, of_searched);
            const int before = count_before<false, lanes>(begin, of_searched, pivot.key[0], first, last, less);
            // Mostly no element equals the pivot but itself.
            int until = before;
            if (searched == pivot.owner) ++until;
            const bool has_equal = until < of_searched && !less(pivot.key[0], begin[until]);
            if (__any_sync(~0u, has_equal)) {
                const int most = has_equal ? of_searched : until;
                until = count_before<true, lanes>(begin, most, pivot.key[0], until, min(until + 64, most), less);
            }
            if (in_warp % lanes == 0 && first_searched < Runs) parts[searched] = {before, until};
        }
        last_all = all;
        if (__syncthreads_or(searches ? 1 : 0) == 0) return low;
        if (!searches) continue;
        const part_of_run<int> equal = parts[own];
        const int all_before = sum_of_group<Runs>(equal.begin), all_until = sum_of_group<Runs>(equal.end);
        if (rank < all_before - slack) {
            width = min(equal.begin, all_before - rank + slack);
            low += equal.begin - width;
            rank -= sum_of_group<Runs>(equal.begin - width);
        } else if (rank > all_until + slack) {
            low += equal.end;
            rank -= all_until;
            width = min(width - equal.end, rank + slack);
        } else {
            low += equal.begin + share_of_equal<Runs>(equal.end - equal.begin, rank - all_before);
            rank = width = 0;
        }
    }
}

}  // namespace launchbox::detail
