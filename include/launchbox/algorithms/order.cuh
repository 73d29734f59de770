// launchbox: orders for sorting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>

namespace launchbox {

/// a < b, of any two types.
struct less {
    template <class A, class B>
    __host__ __device__ constexpr bool operator()(const A& a, const B& b) const
    {
        return a < b;
    }
};

/// b < a, of any two types.
struct greater {
    template <class A, class B>
    __host__ __device__ constexpr bool operator()(const A& a, const B& b) const
    {
        return b < a;
    }
};

namespace detail {

template <class Key>
inline constexpr bool is_integer = std::is_integral_v<Key>;
#ifdef __SIZEOF_INT128__
template <>
inline constexpr bool is_integer<__int128> = true;
template <>
inline constexpr bool is_integer<unsigned __int128> = true;
#endif

template <class Key, class Compare>
inline constexpr bool is_ascending_order =
    std::is_same_v<Compare, less> || std::is_same_v<Compare, std::less<>> || std::is_same_v<Compare, std::less<Key>>;
template <class Key, class Compare>
inline constexpr bool is_descending_order =
    std::is_same_v<Compare, greater> || std::is_same_v<Compare, std::greater<>> ||
    std::is_same_v<Compare, std::greater<Key>>;

}  // namespace detail

/// Whether equal keys (neither is before the other) have the same bits. Then an unstable sort, which is faster, gives
/// the same result as a stable one. True for integers in their natural order; not for floating-point numbers, since
/// -0.0 and 0.0 are equal. If you specialise it for your own order, sorts with that order are still stable, but use
/// other rows.
template <class Key, class Compare>
inline constexpr bool equal_keys_are_identical =
    detail::is_integer<Key> && (detail::is_ascending_order<Key, Compare> || detail::is_descending_order<Key, Compare>);

}  // namespace launchbox
