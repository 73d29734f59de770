// launchbox: the types and sizes of a merge sort, and the order of its keys. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/warp_words.cuh>
#include <launchbox/algorithms/order.cuh>

namespace launchbox::detail {

struct no_value {};

/// How a type is kept in registers and shared memory: small integers as 32-bit words, the width of a bank.
template <class Type>
using kept_type = std::conditional_t<is_integer<Type> && sizeof(Type) < 4,
                                     std::conditional_t<std::is_signed_v<Type>, int, unsigned>, Type>;

/// Whether last_key is known: not for the user's own order, even if equal_keys_are_identical is specialised for it.
template <class Key, class Compare>
inline constexpr bool has_last_key =
    is_integer<Key> && (is_ascending_order<Key, Compare> || is_descending_order<Key, Compare>);

/// Whether keys are floating-point numbers in their natural order: see float_words.cuh.
template <class Key, class Compare>
inline constexpr bool is_ordered_as_word = (std::is_same_v<Key, float> || std::is_same_v<Key, double>)&&(
    is_ascending_order<Key, Compare> || is_descending_order<Key, Compare>);

/// What the kernels of one sort have in common.
template <class KeyType, class ValueType, class CompareType, int ThreadCount, int ItemCount>
struct merge_shape {
    using key = KeyType;
    using value = ValueType;  ///< void: none
    using compare = CompareType;
    using searched_order = CompareType;  ///< the order in which runs are searched; float_shape has another
    static constexpr int threads = ThreadCount, items = ItemCount;
    static constexpr int tile = threads * items;
    static constexpr int items_bits = std::bit_width(static_cast<unsigned>(items)) - 1;
    static constexpr bool has_values = !std::is_void_v<ValueType>;
    static constexpr bool values_are_places = false;  ///< see placed_shape
    static constexpr bool sorts_floats = false;       ///< see float_shape
    static constexpr bool is_stable =
        has_values || !equal_keys_are_identical<KeyType, CompareType> || !has_last_key<KeyType, CompareType>;
    using kept_key = kept_type<KeyType>;
    using kept_value = kept_type<std::conditional_t<has_values, ValueType, no_value>>;

    static __device__ __forceinline__ kept_key keep(const key& given_key) { return static_cast<kept_key>(given_key); }
    static __device__ __forceinline__ key given(const kept_key& kept) { return static_cast<key>(kept); }

    static_assert(items >= 2 && std::has_single_bit(static_cast<unsigned>(items)),
                  "merge_sort: the items of a row are a power of two, 2 or more");
    static_assert(threads >= items, "merge_sort: the threads of a row are its items or more");
    static_assert(threads >= 32 && std::has_single_bit(static_cast<unsigned>(threads)),
                  "merge_sort: the threads of a row are a power of two, 32 or more");
};

/// Integers in their natural order, with values, are sorted as words if the row is large enough: see merge_words.cuh.
/// Not floating-point numbers: most of those between 0 and 1 share too many leading bits for a word of 32.
template <class Shape>
inline constexpr bool has_words = Shape::has_values && sizeof(typename Shape::kept_key) <= 8 &&
                                  has_last_key<typename Shape::key, typename Shape::compare>;
inline constexpr int min_items_of_words = 16, max_tile_of_words = 8192;
template <class Shape>
__host__ __device__ constexpr bool sorts_by_words(int threads, int items)
{
    return has_words<Shape> && items >= min_items_of_words && threads * items <= max_tile_of_words;
}

/// The shape of the words.
template <int Threads, int Items>
using shape_of_words = merge_shape<unsigned, void, less, Threads, Items>;

/// For keys that cannot be sorted as words: their values are their places among the elements of the block.
template <class Shape>
struct placed_shape
    : merge_shape<typename Shape::key, unsigned, typename Shape::compare, Shape::threads, Shape::items> {
    static constexpr bool values_are_places = true;
};

/// A thread's elements.
template <class Shape>
struct thread_items {
    raw_array<typename Shape::kept_key, Shape::items> keys;
    raw_array<typename Shape::kept_value, Shape::items> values;
};

/// The user's comparison, for keys as they are kept.
template <class Shape>
struct kept_order {
    typename Shape::compare compare;

    __device__ __forceinline__ bool operator()(const typename Shape::kept_key& a,
                                               const typename Shape::kept_key& b) const
    {
        using key = typename Shape::key;
        // No conversion: it would take an instruction for small integers.
        if constexpr (is_integer<typename Shape::kept_key> && !is_integer<key>)
            return a < b;
        else if constexpr (is_integer<key> && is_ascending_order<key, typename Shape::compare>)
            return a < b;
        else if constexpr (is_integer<key> && is_descending_order<key, typename Shape::compare>)
            return b < a;
        else
            return compare(static_cast<const key&>(a), static_cast<const key&>(b));
    }
};

/// The order in which runs are searched, for keys as they are kept.
template <class Shape>
__device__ __forceinline__ auto order_of_search(const typename Shape::compare& compare)
{
    if constexpr (Shape::sorts_floats)
        return typename Shape::searched_order{};
    else
        return kept_order<Shape>{compare};
}

/// A key that comes after all others or equals the last of them; for sorts of integers without values.
template <class Shape>
__device__ __forceinline__ typename Shape::kept_key last_key()
{
    using key = typename Shape::kept_key;
    constexpr bool is_signed = static_cast<key>(-1) < key{};
    constexpr key lowest = is_signed ? static_cast<key>(key{1} << (8 * sizeof(key) - 1)) : key{};
    constexpr bool rises =
        !is_integer<typename Shape::key> || is_ascending_order<typename Shape::key, typename Shape::compare>;
    return rises ? static_cast<key>(~lowest) : lowest;
}

}  // namespace launchbox::detail
