// launchbox: which elements of each run are among the first of a merge of many runs. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// A search is over 2^levels runs, 8 to 32; if a pass merges fewer, the others are empty.
inline constexpr int min_searched_levels = 3;

// The numbers of runs and lanes are not constants, so that one copy of the code serves all of them. But no loop over
// shuffles has such a number as its bound: the compiler would not know that the warp stays converged, and would
// generate all later exchanges between threads twice.

/// The sum over an aligned group of `width` threads, 8 to `Most`.
template <int Most, class Type>
__device__ __forceinline__ Type sum_of_group(Type value, int width)
{
#pragma unroll
    for (int mask = 1; mask < Most; mask *= 2) {
        const Type other = shuffle_xor<32>(value, mask);
        value += mask < 1 << min_searched_levels || mask < width ? other : 0;
    }
    return value;
}

/// The sum over a warp.
__device__ __forceinline__ int sum_of_warp(int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, value);
#else
    return sum_of_group<32>(value, 32);
#endif
}

/// The inclusive prefix sum over the threads of an aligned group.
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

/// The same over a group of `width` threads, up to `Most`.
template <int Most, class Type>
__device__ __forceinline__ Type sum_until(Type value, int width)
{
    const int thread = static_cast<int>(threadIdx.x) % 32, lane = thread & (width - 1);
#pragma unroll
    for (int step = 1; step < Most; step *= 2) {
        const Type other = shuffle_from(value, thread - (lane >= step ? step : 0));
        if (lane >= step) value += other;
    }
    return value;
}

/// Approximations of a / b and of the square root, several times as fast as the exact ones.
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

/// Elements [begin, end) of a run.
template <class Offset>
struct part_of_run {
    Offset begin, end;
};

/// The state of a search for a border in one run: the `width` elements from `low` on remain. Of the remaining elements
/// of all runs, `rank` lie before the border, or up to `slack` more or fewer. In each aligned group of 2^levels
/// threads, each thread has a run; with `OfWarp` all groups of a warp search for the same border. `SumsWarps`: they
/// then add with one instruction for the whole warp.
template <bool OfWarp, bool SumsWarps, int MaxLevels, class Offset>
struct border_search {
    int levels;
    Offset low, width, rank, slack, all;
    int round;
    bool seeks_order;  ///< choose pivots as if the runs did not overlap
    bool was_dense;    ///< in the last round there was a run as in `dense`
    int dense;         ///< the run that seems to hold nearly all elements near the border; negative: none
    Offset expected;   ///< where the border is expected in this run if one is dense

    __device__ __forceinline__ border_search(int levels_in, Offset length, Offset rank_in, Offset slack_in)
        : levels(levels_in),
          low(0),
          width(length < rank_in + slack_in ? length : rank_in + slack_in),
          rank(rank_in),
          slack(slack_in),
          all(0),
          round(-1),
          seeks_order(false),
          was_dense(false),
          dense(-1),
          expected(0)
    {
    }
    [[nodiscard]] __device__ __forceinline__ int runs() const { return 1 << levels; }
    [[nodiscard]] __device__ __forceinline__ Offset sum(Offset value) const
    {
        if constexpr (SumsWarps)
            return sum_of_warp(static_cast<int>(threadIdx.x) % 32 < runs() ? value : 0);
        else
            return sum_of_group<1 << MaxLevels>(value, runs());
    }
    /// Begins a round. Returns false to all threads of a group if its border is found. All threads of a warp call it
    /// and the functions that follow.
    __device__ __forceinline__ bool begin_round()
    {
        const Offset last_all = all;
        all = sum(width);
        ++round;
        // A rule for pivots is kept if at most a quarter of the elements remain; otherwise the other rule is tried.
        if (round > 0 && all > last_all / 4 && !was_dense) seeks_order = !seeks_order;
        was_dense = dense >= 0;
        if (halves()) seeks_order = false;
        if (rank >= all) {
            low += width;
            width = rank = 0;
        }
        return rank > 0;
    }
    /// From this round on the pivot is a weighted median: after each round at most 3/4 of the elements remain, for any
    /// input.
    __device__ __forceinline__ bool halves() const { return round >= 12; }
    /// The share of the remaining elements that lies before the border; limited to 1, which rounding could exceed.
    __device__ __forceinline__ float share() const
    {
        const float part = about_quotient(static_cast<float>(rank), static_cast<float>(all));
        return halves() ? .5f : part < 1 ? part : 1;
    }
    /// Ends the round, once it is known which elements of the run equal the pivot. `owner`: the pivot's run, if it was
    /// chosen as if the runs did not overlap; otherwise negative.
    __device__ __forceinline__ void end_round(const part_of_run<Offset>& equal, int owner)
    {
        const Offset all_before = sum(equal.begin), all_until = sum(equal.end);
        const bool is_before = rank<all_before - slack, is_behind = rank> all_until + slack;
        // Of equal elements those in runs further left come first.
        Offset among = 0;
        if (__any_sync(~0u, !is_before && !is_behind)) {
            const Offset count = equal.end - equal.begin,
                         left = rank - all_before - (sum_until<1 << MaxLevels>(count, runs()) - count);
            among = left < 0 ? 0 : left < count ? left : count;
        }
        Offset dropped = 0;
        // If nearly all elements near the border belong to the pivot's run, the border is as far from the pivot in that
        // run as in the whole merge.
        const Offset last_all = all;
        Offset far = 0;
        if (is_before) {
            far = all_before - rank;
            width = equal.begin < far + slack ? equal.begin : far + slack;
            dropped = equal.begin - width;
            expected = width - far;
        } else if (is_behind) {
            far = rank - all_until;
            width = width - equal.end < far + slack ? width - equal.end : far + slack;
            dropped = equal.end;
            expected = far;
        } else {
            low += equal.begin + among;
            width = rank = 0;
        }
        low += dropped;
        const Offset all_dropped = sum(dropped);
        rank -= rank > 0 ? all_dropped : 0;
        dense = -1;
        if (!__any_sync(~0u, owner >= 0)) return;
        const int first = static_cast<int>(threadIdx.x) % 32 & -runs();
        const int searched = first + (owner < 0 ? 0 : owner);
        const Offset width_of_owner = shuffle_from(width, searched), of_owner = shuffle_from(expected, searched);
        const bool is_inside = owner >= 0 && of_owner >= 0 && of_owner < width_of_owner;
        dense = is_inside && far <= last_all >> (2 + levels) ? owner : -1;
    }
};

/// The pivot: an element of the run `owner`, number `within` of those that remain there.
template <class Offset, class Key>
struct run_pivot {
    int owner;
    Offset within;
    raw_array<Key, 1> key;
    Offset ahead;      ///< remaining elements in runs that seem to be before this one
    bool is_by_order;  ///< chosen as if the runs did not overlap
    bool is_dense;     ///< chosen from the run that seems to hold nearly all remaining elements
};

/// With more elements than this, a search checks whether the runs hardly overlap. For random runs that takes up to half
/// a microsecond, which would be a few percent of a small sort.
inline constexpr int fewest_in_order = 8192;
/// At each end of such a run 1 / few_of_run of its elements may overlap with others.
inline constexpr int few_of_run = 32;

/// Chooses the pivot of a round; called by aligned groups of threads, one thread per run. Each thread takes the element
/// of its run where it expects the border; the pivot is the median of these elements, weighted by each run's remaining
/// elements. For random runs it is several times as close to the border as the element of a single run. With
/// `seeks_order`, or if in the first round the middles of most runs are outside the middle half of the next run, the
/// pivot is the element that would be at the border if the runs did not overlap and were ordered by their middles.
template <bool OfWarp, bool SumsWarps, int MaxLevels, class Offset, class Key, class Less>
__device__ __forceinline__ run_pivot<Offset, Key> choose_pivot(
    const Key* run, const border_search<OfWarp, SumsWarps, MaxLevels, Offset>& search, float share, const Less& less)
{
    const int runs = search.runs();
    const unsigned of_group = ~0u >> (32 - runs);
    const int in_warp = static_cast<int>(threadIdx.x) % 32, own = in_warp & (runs - 1);
    const int first = OfWarp ? 0 : in_warp - own;
    const auto first_thread = [&](bool condition) {
        return __ffs(static_cast<int>(__ballot_sync(~0u, condition) >> first & of_group)) - 1;
    };
    const Offset low = search.low, width = search.width;
    const bool searches = search.rank > 0;
    run_pivot<Offset, Key> pivot;
    pivot.is_by_order = search.seeks_order;
    pivot.within = static_cast<Offset>(static_cast<float>(width) * (pivot.is_by_order ? .5f : share));
    pivot.within = pivot.within < width ? pivot.within : width - 1;
    constexpr int quarters_inside = 3;
    raw_array<Key, quarters_inside> quarters;
    const bool looks_for_order = search.round == 0 && search.all > fewest_in_order;
    if (width > 0) {
        pivot.key[0] = run[low + pivot.within];
        if (looks_for_order)  // loaded together, to wait only once
#pragma unroll
            for (int i = 0; i < quarters_inside; ++i) quarters[i] = run[low + width / 4 * (i + 1)];
    }
    // The comparison must only see keys of the input: a thread without elements takes the key of another.
    const int some = first_thread(width > 0);
    const int with_key = width > 0 || some < 0 ? in_warp : first + some;
    pivot.key[0] = shuffle_from(pivot.key[0], with_key);
    if (__any_sync(~0u, looks_for_order)) {
#pragma unroll
        for (int i = 0; i < quarters_inside; ++i) quarters[i] = shuffle_from(quarters[i], with_key);
        const Key next = shuffle_from(quarters[1], first + (own + 1 < runs ? own + 1 : own));
        const bool is_apart = looks_for_order && searches && (less(next, quarters[0]) || less(quarters[2], next));
        if (__popc(__ballot_sync(~0u, is_apart) >> first & of_group) >= runs / 2) {
            pivot.is_by_order = true;
            pivot.key[0] = quarters[1];
        }
    }
    Offset ahead = 0;
    const auto compare_with = [&](int number) {
        const int other = number & (runs - 1);
        const Key key = shuffle_from(pivot.key[0], first + other);
        const Offset weight = shuffle_from(width, first + other);
        const bool is_left = other < own;  // of equal elements the one further left comes first
        const bool is_ahead = searches && less(is_left ? pivot.key[0] : key, is_left ? key : pivot.key[0]) != is_left;
        ahead += is_ahead && other != own ? weight : 0;
    };
    if constexpr (OfWarp) {
        // All groups search for the same border, so that each compares with only some of the runs: 2 of 8, 8 of 16, 32
        // of 32.
        const int from = (in_warp & -runs) * runs / 32;
        const auto compare_from = [&]<int First, int Behind>() {
#pragma unroll
            for (int i = First; i < Behind; ++i) compare_with(from + i);
        };
        compare_from.template operator()<0, 2>();
        if constexpr (MaxLevels > 3)
            if (runs > 8) compare_from.template operator()<2, 8>();
        if constexpr (MaxLevels > 4)
            if (runs > 16) compare_from.template operator()<8, 32>();
        const Offset of_8 = shuffle_xor<32>(ahead, 8);
        ahead += runs == 8 ? of_8 : 0;
        const Offset of_16 = shuffle_xor<32>(ahead, 16);
        ahead += runs < 32 ? of_16 : 0;
    } else {
        constexpr int at_once = 1 << min_searched_levels;
#pragma unroll 1
        for (int done = 0; done < runs; done += at_once) {
#pragma unroll
            for (int i = 0; i < at_once; ++i) compare_with(done + i);
        }
    }
    // Elements that overlap with other runs are at the ends of their runs.
    const Offset tail = looks_for_order ? width / few_of_run : 0;
    const Offset target = pivot.is_by_order ? search.rank : search.all / 2;
    pivot.owner = first_thread(ahead <= target && target < ahead + width);
    pivot.owner = pivot.owner < 0 ? 0 : pivot.owner;  // in a group that has found its border
    pivot.ahead = ahead;
    pivot.is_dense = search.dense >= 0 && search.round <= 2;  // later rounds must make progress for any input
    if (pivot.is_dense) pivot.owner = search.dense;
    if (pivot.is_by_order || pivot.is_dense) {
        const Offset last = width - 1 - tail, place = target - ahead;
        pivot.within = pivot.is_dense ? search.expected : place < tail ? tail : place < last ? place : last;
        if (searches && own == pivot.owner) pivot.key[0] = run[low + pivot.within];
    }
    pivot.within = shuffle_from(pivot.within, first + pivot.owner);
    pivot.key[0] = shuffle_from(pivot.key[0], first + pivot.owner);
    return pivot;
}

/// Where a pivot lies among `width` elements of a run if the runs are random: within four standard deviations.
template <class Offset>
__device__ __forceinline__ part_of_run<Offset> expected_part(Offset width, float share)
{
    const float middle = static_cast<float>(width) * share;
    const float spread = 4 * about_square_root(middle * (1 - share) + .25f);
    const Offset begin = static_cast<Offset>(middle - spread), end = static_cast<Offset>(middle + spread) + 1;
    return {begin > 0 ? begin : 0, end < width ? end : width};
}

/// The same for run `number` if at most a few elements of the runs overlap: all elements of a run before the pivot's
/// come before the pivot, and none of a run after it.
template <class Offset, class Key>
__device__ __forceinline__ part_of_run<Offset> expected_part(Offset width, float share,
                                                             const run_pivot<Offset, Key>& pivot, int number,
                                                             bool is_ahead)
{
    if (!pivot.is_by_order && !pivot.is_dense) return expected_part(width, share);
    if (number == pivot.owner) return {pivot.within < 16 ? 0 : pivot.within - 16, pivot.within + 1};
    const Offset some = pivot.is_dense ? width : width / few_of_run + (width > 0 ? 1 : 0);
    return is_ahead ? part_of_run<Offset>{width - some, width} : part_of_run<Offset>{0, some};
}

/// Where the elements before the pivot end in the sorted range `all` of `run`; with `WithEqual` also those that equal
/// it. It searches `part` first. It probes multiples of powers of two, which searches for nearby pivots read too, so
/// that they are in the cache.
template <bool WithEqual, class Offset, class Key, class Less>
__device__ __forceinline__ Offset border_by_thread(const Key* run, const part_of_run<Offset>& all,
                                                   const part_of_run<Offset>& part, const Key& pivot, const Less& less)
{
    Offset begin = part.begin, end = part.end;
    for (bool is_all = false;;) {
        while (begin < end) {
            const auto differ = static_cast<std::uint64_t>(begin ^ end);
            const Offset probe = end >> (63 - __clzll(static_cast<long long>(differ)))
                                            << (63 - __clzll(static_cast<long long>(differ)));
            const bool is_before = WithEqual ? !less(pivot, run[probe - 1]) : less(run[probe - 1], pivot);
            begin = is_before ? probe : begin;
            end = is_before ? end : probe - 1;
        }
        if (is_all) return begin;
        is_all = true;
        if (begin == part.begin) {
            begin = all.begin;
        } else if (begin == part.end) {
            end = all.end;
        }
    }
}

/// How many of the first `rank` elements, or up to `slack` more or fewer, of the stable merge of 2^levels runs, 8 to
/// 2^MaxLevels, are in this thread's run. The result depends only on the runs, the rank and the slack. In an aligned
/// group of 2^levels threads each thread has a run, and all have the same rank; all threads of the warp call it.
///
/// In each round the group takes one element as the pivot, and each thread searches its run for elements that equal it.
/// The border lies before all of these, after them, or among them; in the last case it is found.
template <int MaxLevels, class Offset, class Key, class Less>
__device__ __forceinline__ Offset split_runs(int levels, const Key* run, Offset length, Offset rank, Offset slack,
                                             const Less& less)
{
    border_search<false, false, MaxLevels, Offset> search(levels, length, rank, slack);
    const int own = static_cast<int>(threadIdx.x) & (search.runs() - 1);
#pragma unroll 1  // do not peel the first round
    for (;;) {
        const bool searches = search.begin_round();
        if (!__any_sync(~0u, searches)) return search.low;
        const float share = search.share();
        const auto pivot = choose_pivot(run, search, share, less);
        const Offset ahead_of_owner = shuffle_from(pivot.ahead, static_cast<int>(threadIdx.x) % 32 - own + pivot.owner);
        using part = part_of_run<Offset>;
        part equal{0, 0};
        if (searches && search.width > 0) {
            const Offset low = search.low, end = low + search.width;
            const part expected = expected_part(search.width, share, pivot, own, pivot.ahead < ahead_of_owner);
            equal.begin = border_by_thread<false>(run, part{low, end}, part{low + expected.begin, low + expected.end},
                                                  pivot.key[0], less);
            // Usually no other element equals the pivot.
            equal.end = equal.begin + (own == pivot.owner ? 1 : 0);
            if (equal.end < end && !less(pivot.key[0], run[equal.end])) {
                const Offset some = end - equal.end < 64 ? end : equal.end + 64;
                equal.end =
                    border_by_thread<true>(run, part{equal.end, end}, part{equal.end, some}, pivot.key[0], less);
            }
            equal = {equal.begin - low, equal.end - low};
        }
        search.end_round(equal, pivot.is_by_order || pivot.is_dense ? pivot.owner : -1);
    }
}

}  // namespace launchbox::detail
