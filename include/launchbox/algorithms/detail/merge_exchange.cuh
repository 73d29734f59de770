// launchbox: comparators, with which a thread sorts elements in its registers. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_shape.cuh>
#include <launchbox/algorithms/detail/multiplier.cuh>
#include <launchbox/algorithms/detail/sort_network.cuh>

namespace launchbox::detail {

/// Whether a comparator can compute its second result as the sum of both keys less the first result: 32-bit integers.
template <class Shape>
inline constexpr bool exchanges_by_sum =
    !Shape::is_stable && std::is_integral_v<typename Shape::kept_key> && sizeof(typename Shape::kept_key) == 4;

/// One comparator that computes the sum with the multipliers: see opaque_one(). It takes one more instruction, so that
/// it pays only for some of the comparators.
template <class Key, class Less>
__device__ __forceinline__ void exchange_by_sum(Key& first, Key& second, const Less& less)
{
    const unsigned one = opaque_one();
    const Key lower = less(second, first) ? second : first;
    second = static_cast<Key>(static_cast<unsigned>(first) * one + static_cast<unsigned>(second) -
                              static_cast<unsigned>(lower) * one);
    first = lower;
}

/// How many of three comparators use the multipliers: as many as keep both kinds of units equally busy. For keys that
/// are not 32-bit integers, or have tags, any number above 0 lets the multipliers alone exchange in about one
/// comparator of three.
struct thirds_by_sum {
    static constexpr int of_sort = 2, of_block_merge = 1, of_pass_merge = 1;
};

/// Whether the first of two elements comes after the second; if keys are equal, the one with the higher tag does.
template <class Shape>
__device__ __forceinline__ bool is_after(const kept_order<Shape>& less, const typename Shape::kept_key& first,
                                         unsigned first_tag, const typename Shape::kept_key& second,
                                         unsigned second_tag)
{
    using key = typename Shape::kept_key;
    if constexpr (is_integer<key> && sizeof(key) == 4 &&
                  is_ascending_order<typename Shape::key, typename Shape::compare>) {
        // With key and tag joined into one number, the comparison takes two instructions.
        using number = std::conditional_t<std::is_signed_v<key>, std::int64_t, std::uint64_t>;
        const auto joined = [](key of_element, unsigned tag) {
            return static_cast<number>(static_cast<std::uint64_t>(static_cast<unsigned>(of_element)) << 32 | tag);
        };
        return joined(second, second_tag) < joined(first, first_tag);
    } else {
        // Without ||, which would branch.
        const int is_less = less(second, first), is_equal = !less(first, second), is_before = second_tag < first_tag;
        return (is_less | (is_equal & is_before)) != 0;
    }
}

/// Sorts a thread's keys with a network, or runs some of its comparators. `tags` hold the original places: of equal
/// keys the one with the lower tag comes first.
template <network Kind, int ThirdsBySum, int From = -1, int To = -1, class Shape>
__device__ __forceinline__ void sort_items(thread_items<Shape>& items, raw_array<unsigned, Shape::items>& tags,
                                           const kept_order<Shape>& less)
{
    constexpr int from = From < 0 ? 0 : From, to = To < 0 ? comparators<Kind, Shape::items>() : To;
    run_network<Kind, Shape::items, from, to>([&](int first_item, int second_item) {
        auto &first = items.keys[first_item], &second = items.keys[second_item];
        if constexpr (exchanges_by_sum<Shape>) {
            if ((first_item + second_item + 2) % 3 < ThirdsBySum) {
                exchange_by_sum(first, second, less);
            } else {
                const auto lower = less(second, first) ? second : first;  // one instruction each
                second = less(second, first) ? first : second;
                first = lower;
            }
        } else {
            const bool alone = ThirdsBySum > 0 && (first_item + second_item) % 3 == 0;
            bool swaps;
            if constexpr (Shape::is_stable) {
                swaps = is_after(less, first, tags[first_item], second, tags[second_item]);
                exchange_if(alone, swaps, tags[first_item], tags[second_item]);
            } else {
                swaps = less(second, first);
            }
            exchange_if(alone, swaps, first, second);
        }
    });
}

}  // namespace launchbox::detail
