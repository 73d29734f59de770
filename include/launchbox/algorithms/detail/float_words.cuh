// launchbox: floating-point keys as integers of the same order. Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// By < and > such keys have the order of integers that are made of their bits, which are sorted faster: nobody sees
// which of equal ones was where. Only -0.0 and 0.0 are equal with different bits. They are neighbours as integers, with
// nothing between them, so that it is enough to put them into their original order again where there are both.
#pragma once

#include <cstring>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_shape.cuh>

namespace launchbox::detail {

template <class Key, class Compare>
inline constexpr bool is_ordered_as_word = (std::is_same_v<Key, float> ||
                                            std::is_same_v<Key, double>)&&(is_ascending_order<Key, Compare> ||
                                                                           is_descending_order<Key, Compare>);

/// A key as an integer, ascending in the order of the sort, and back. NaNs have places too.
template <class Key, class Compare>
struct ordered_word {
    using word = std::conditional_t<sizeof(Key) == 4, unsigned, unsigned long long>;
    static constexpr int sign_bit = 8 * sizeof(Key) - 1;
    static constexpr word falling = is_descending_order<Key, Compare> ? ~word{0} : word{0};

    static __device__ __forceinline__ word of(const Key& key)
    {
        word bits;
        std::memcpy(&bits, &key, sizeof bits);
        return bits ^ ((bits >> sign_bit) != 0 ? ~word{0} : word{1} << sign_bit) ^ falling;
    }
    static __device__ __forceinline__ Key key_of(word ordered)
    {
        const word bits = ordered ^ falling;
        const word key_bits = bits ^ ((bits >> sign_bit) != 0 ? word{1} << sign_bit : ~word{0});
        Key key;
        std::memcpy(&key, &key_bits, sizeof key);
        return key;
    }
    /// The words of -0.0 and 0.0, and the lower of them.
    static constexpr word negative_zero = ((word{1} << sign_bit) - 1) ^ falling, zero = (word{1} << sign_bit) ^ falling;
    static constexpr word first_zero = falling != 0 ? zero : negative_zero;
};

/// The shape of a sort in which keys are kept as words.
template <class Shape>
struct word_shape : Shape {
    using words = ordered_word<typename Shape::key, typename Shape::compare>;
    using kept_key = typename words::word;
    static constexpr bool is_stable = false;

    static __device__ __forceinline__ kept_key keep(const typename Shape::key& key) { return words::of(key); }
    static __device__ __forceinline__ typename Shape::key given(kept_key word) { return words::key_of(word); }
};

template <class Shape>
inline constexpr bool keeps_words = false;
template <class Shape>
inline constexpr bool keeps_words<word_shape<Shape>> = true;

/// That, where it helps: for floating-point keys alone in their order.
template <class Shape>
using word_shape_if_any =
    std::conditional_t<!Shape::has_values && is_ordered_as_word<typename Shape::key, typename Shape::compare>,
                       word_shape<Shape>, Shape>;

}  // namespace launchbox::detail
