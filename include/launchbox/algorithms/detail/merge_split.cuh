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
    const unsigned owners = __ballot_sync(~0u, ahead <= rank && rank < ahead + width) >> first & ((1u << Runs) - 1);
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

/// The same for a block, which looks for two ranks at once, with 16 pivots each in a round: fewer steps, which counts
/// where no other block can run meanwhile. The first `Threads` / 2 threads look for one, the others for the other, each
/// aligned group of `Runs` with a pivot of its own. Once there are no more elements in question than threads, each
/// thread counts those before its own. `begins`, `ends` have room for a number for each thread, `totals` for 64, and
/// `keys` for as many keys as there are threads; `ends` and `keys` may be the same memory. `rank` is less than 2^27.
template <int Runs, int Threads, class Key, class Less>
__device__ __forceinline__ int split_runs_by_block(const Key* run, int length, int rank, int* begins, int* ends,
                                                   int* totals, Key* keys, const Less& less)
{
    constexpr int of_half = Threads / 2 / Runs, groups = of_half < 16 ? of_half : 16, most = Threads / 2;
    static_assert(of_half >= 1);
    const int thread = static_cast<int>(threadIdx.x), lane = thread % Runs;
    const int half = thread / most, group = thread % most / Runs;
    int *const befores = totals + half * 32, *const untils = befores + 16;
    int low = 0, width = length < rank ? length : rank, all_at_first = 0;
    for (int round = 0;; ++round) {
        const int all = sum_of_group<Runs>(width);
        if (rank >= all) {
            low += width;
            width = rank = 0;
        }
        int longest = width;
        int owner = owner_of_longest<Runs>(longest);
        const float share = about_quotient(static_cast<float>(rank), static_cast<float>(all > 0 ? all : 1));
        const float of_longest = static_cast<float>(longest > 0 ? longest : 1);
        int at = (longest * (group + 1)) / (groups + 1);
        if (round == 0)
            at = static_cast<int>(of_longest * share + static_cast<float>(2 * group + 1 - groups) / groups *
                                                           (2 * about_square_root(of_longest)));
        at = at >= longest ? longest - 1 : at;
        at = at < 0 ? 0 : at;
        const float before = about_quotient(static_cast<float>(at), of_longest);
        // Where the first round did not help, two pivots are for runs that rise or fall from one to the next.
        const bool seeks_order = round == 1 && all > all_at_first / 4 && group < 2;
        if (round == 0) all_at_first = all;
        if (__any_sync(~0u, seeks_order)) {
            const auto in_order = place_in_order<Runs>(width, all, rank, group == 1);
            if (seeks_order) owner = in_order.owner, at = in_order.at;
        }
        const auto equal = find_equal<Runs>(run + low, group < groups && rank > 0 ? width : 0, owner, at, before, less);
        const int all_before = sum_of_group<Runs>(equal.begin), all_until = sum_of_group<Runs>(equal.end);
        begins[thread] = equal.begin;
        ends[thread] = equal.end;
        if (lane == 0 && group < groups) {
            befores[group] = all_before;
            untils[group] = all_until;
        }
        __syncthreads();
        // The last pivot before the border, the first behind it, and one that equals the elements around it: with each
        // its number, in the lower bits.
        constexpr int numbers = 16, none = 0x7fffffff;
        int last = -1, next = none, same = -1;
#pragma unroll
        for (int i = 0; i < groups; ++i) {
            const int before = befores[i], until = untils[i];
            last = until <= rank ? max(last, until * numbers + i) : last;
            next = before >= rank ? min(next, before * numbers + i) : next;
            same = before < rank && until > rank ? i : same;
        }
        const int first_of_run = half * most + lane;
        const int from = first_of_run + (same < 0 ? 0 : same) * Runs;
        const int among = share_of_equal<Runs>(ends[from] - begins[from], rank - befores[same < 0 ? 0 : same]);
        if (rank == 0) {
            width = 0;
        } else if (same >= 0) {
            low += begins[from] + among;
            width = rank = 0;
        } else {
            const int begin = last < 0 ? 0 : ends[first_of_run + last % numbers * Runs];
            const int end = next == none ? width : begins[first_of_run + next % numbers * Runs];
            if (last >= 0) rank -= last / numbers;
            low += begin;
            width = end - begin;
        }
        const int left = sum_of_group<Runs>(width);
        __syncthreads();
        if (thread % most == 0) befores[0] = rank > 0 ? left : 0;
        __syncthreads();
        const bool is_done = totals[0] <= most && totals[32] <= most;
        __syncthreads();
        if (is_done) break;
    }
    if (rank == 0) width = 0;
    // The elements of each run one after the other, those of the other half behind them.
    const int begin = sum_until<Runs>(width) - width;
    int* const runs = begins;  // of each element
    for (int i = group; i < width; i += of_half) {
        keys[half * most + begin + i] = run[low + i];
        runs[half * most + begin + i] = lane;
    }
    const int all = sum_of_group<Runs>(width);
    if (thread % most < Runs) befores[lane] = 0;
    __syncthreads();
    if (const int own = thread % most; own < all) {
        const Key* const half_keys = keys + half * most;
        int before = 0;
        // Elements lie in the order of their runs: of equal ones the first comes first. Without branches, so that many
        // reads are on their way.
        const Key mine = half_keys[own];
#pragma unroll 8
        for (int i = 0; i < all; ++i) {
            const Key other = half_keys[i];
            const bool is_after = less(other, mine), is_before = less(mine, other);
            before += (i < own ? !is_before : is_after) ? 1 : 0;
        }
        if (before < rank) atomicAdd(&befores[runs[half * most + own]], 1);
    }
    __syncthreads();
    return low + befores[lane];
}

}  // namespace launchbox::detail
