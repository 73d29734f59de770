// launchbox: chooses one of several tables by the sizes of key and value, at compile time. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/detail/launch_box/type_choice.hpp>

namespace launchbox {

/// A table for keys of `KeyBytes` and values of `ValueBytes` bytes (0: no values); see by_type.
template <std::int64_t KeyBytes, std::int64_t ValueBytes, class Box>
struct element_bytes {
    static constexpr std::int64_t key = KeyBytes, value = ValueBytes, all = KeyBytes + ValueBytes;
    using box = Box;
    static_assert(KeyBytes > 0 && ValueBytes >= 0, "element_bytes: keys have 1 byte or more, values 0 or more");
};

/// The table for the sizes of `Key` and `Value` (`void`: no values), chosen at compile time: `by_type<int, void,
/// element_bytes<4, 0, box_32>, element_bytes<8, 0, box_64>>`. Sizes without a table use the next smaller one of those
/// with (or without) values, or else the smallest, with `items` scaled to the same bytes per thread and made odd.
template <class Key, class Value, class... Entries>
using by_type = typename detail::type_choice<Key, Value, Entries...>::type;

}  // namespace launchbox
