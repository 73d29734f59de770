// launchbox: sorting networks over registers. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// An array in registers can only be indexed by constants. Networks do only that: which elements they compare does not
// depend on the data. They are not stable; elements carry a tag if stability is visible.
#pragma once

#include <utility>

namespace launchbox::detail {

struct comparator {
    int first, second;  ///< afterwards the first is not after the second
};

/// Batcher's odd-even merge sort of 2^k elements: 19 comparators for 8, 63 for 16, 191 for 32. It first sorts groups of
/// 2, then of 4, and so on, up to `group`.
template <int Items, class Visit>
constexpr void for_each_of_sort(const Visit& visit, int group = Items)
{
    for (int sorted = 1; sorted < group; sorted *= 2)
        for (int step = sorted; step >= 1; step /= 2)
            for (int start = step % sorted; start + step < Items; start += 2 * step)
                for (int i = 0; i < step && start + i + step < Items; ++i)
                    if ((start + i) / (2 * sorted) == (start + i + step) / (2 * sorted))
                        visit(comparator{start + i, start + i + step});
}

/// Sorts every bitonic sequence of 2^k elements (one that, read in a circle, rises once and falls once): k halves.
template <int Items, class Visit>
constexpr void for_each_of_merge(const Visit& visit)
{
    for (int step = Items / 2; step >= 1; step /= 2)
        for (int i = 0; i < Items; ++i)
            if ((i & step) == 0) visit(comparator{i, i + step});
}

enum class network { sort, merge };

template <network Kind, int Items>
consteval int comparators()
{
    int count = 0;
    const auto visit = [&](comparator) { ++count; };
    if constexpr (Kind == network::sort)
        for_each_of_sort<Items>(visit);
    else
        for_each_of_merge<Items>(visit);
    return count;
}

template <network Kind, int Items>
inline constexpr auto network_of = [] {
    struct {
        comparator data[comparators<Kind, Items>() + 1];
    } all{};
    int at = 0;
    const auto visit = [&](comparator c) { all.data[at++] = c; };
    if constexpr (Kind == network::sort)
        for_each_of_sort<Items>(visit);
    else
        for_each_of_merge<Items>(visit);
    return all;
}();

/// How many comparators, the first ones of network::sort, sort all groups of 2^`bits` elements.
template <int Items>
consteval int comparators_of_groups(int bits)
{
    int count = 0;
    for_each_of_sort<Items>([&](comparator) { ++count; }, 1 << bits);
    return count;
}

template <network Kind, int Items, int At>
inline constexpr comparator comparator_at = network_of<Kind, Items>.data[At];

/// Calls `exchange(first, second)` for the comparators [From, To), in order. Their arguments are constants once the
/// call is inlined. They are not template arguments, which take longer to compile, and there is no loop: before it is
/// unrolled, arrays of 8-byte keys are placed in local memory, and part of them stays there.
template <network Kind, int Items, int From = 0, int To = comparators<Kind, Items>(), class Exchange>
__device__ __forceinline__ void run_network(const Exchange& exchange)
{
    [&]<int... At>(std::integer_sequence<int, At...>) {
        (exchange(comparator_at<Kind, Items, From + At>.first, comparator_at<Kind, Items, From + At>.second), ...);
    }(std::make_integer_sequence<int, To - From>{});
}

}  // namespace launchbox::detail
