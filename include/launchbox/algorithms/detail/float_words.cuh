// launchbox: floating-point keys as integers in the same order. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// By < and > floating-point keys have the order of integers made of their bits. Those are sorted faster, since equal
// integers are indistinguishable. Only -0.0 and 0.0 are equal with different bits. As integers they are adjacent, so
// that it is enough to restore their original order where both occur.
//
// In a sort of many tiles the arrays hold integers from the first kernel to the last. Runs then have their zeros in the
// original order, and searches treat all zeros as equal (searched_order). If the input has a -0.0, a block merges all
// zeros as 0.0 and then copies the zeros of its runs, one run after the other, over those of its result.
#pragma once

#include <cstring>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_shape.cuh>

namespace launchbox::detail {

/// A key as an integer, ascending in the order of the sort, and back. NaNs have places too.
template <class Key, class Compare>
struct ordered_word {
    using word = std::conditional_t<sizeof(Key) == 4, unsigned, unsigned long long>;
    static constexpr int sign_bit = 8 * sizeof(Key) - 1;
    static constexpr word falling = is_descending_order<Key, Compare> ? ~word{0} : word{0};

    static __device__ __forceinline__ word of_bits(word bits)
    {
        return bits ^ ((bits >> sign_bit) != 0 ? ~word{0} : word{1} << sign_bit) ^ falling;
    }
    static __device__ __forceinline__ word bits_of(word ordered)
    {
        const word bits = ordered ^ falling;
        return bits ^ ((bits >> sign_bit) != 0 ? word{1} << sign_bit : ~word{0});
    }
    static __device__ __forceinline__ word of(const Key& key)
    {
        word bits;
        std::memcpy(&bits, &key, sizeof bits);
        return of_bits(bits);
    }
    static __device__ __forceinline__ Key key_of(word ordered)
    {
        const word key_bits = bits_of(ordered);
        Key key;
        std::memcpy(&key, &key_bits, sizeof key);
        return key;
    }
    /// The words of -0.0 and 0.0, and the lower of them.
    static constexpr word negative_zero = ((word{1} << sign_bit) - 1) ^ falling, zero = (word{1} << sign_bit) ^ falling;
    static constexpr word first_zero = falling != 0 ? zero : negative_zero;

    /// The same word for both zeros.
    static __device__ __forceinline__ word without_sign_of_zero(word ordered)
    {
        return ordered == negative_zero ? zero : ordered;
    }
    /// The order of the keys: zeros are equal.
    struct searched_order {
        __device__ __forceinline__ bool operator()(word a, word b) const
        {
            return without_sign_of_zero(a) < without_sign_of_zero(b);
        }
    };
};

/// The first `i` of [begin, end) for which `is_before(i)` is false, or `end`. `is_before` is true for all before that.
template <class IsBefore>
__device__ __forceinline__ int first_not_before(int begin, int end, const IsBefore& is_before)
{
#pragma unroll 1
    while (begin < end) {
        const int middle = (begin + end) / 2;
        const bool before = is_before(middle);
        begin = before ? middle + 1 : begin;
        end = before ? end : middle;
    }
    return begin;
}

/// The shape of a sort of floating-point keys without values. Its arrays hold words, except the user's arrays, which
/// hold the bits of keys.
template <class Key, class Compare, int Threads, int Items>
struct float_shape : merge_shape<typename ordered_word<Key, Compare>::word, void, less, Threads, Items> {
    using words = ordered_word<Key, Compare>;
    using base = merge_shape<typename words::word, void, less, Threads, Items>;
    using key = typename base::key;
    using searched_order = typename words::searched_order;
    static constexpr bool sorts_floats = true;

    static __device__ __forceinline__ key keep(key bits) { return words::of_bits(bits); }
    static __device__ __forceinline__ key given(key word) { return words::bits_of(word); }
};

template <class Key, class Value, class Compare>
inline constexpr bool are_words = std::is_void_v<Value> && is_ordered_as_word<Key, Compare>;

/// The shape of a sort of whole arrays: the type of their keys as kernels see it, and its order.
template <class Key, class Value, class Compare, int Threads, int Items>
using shape_of_sort =
    typename std::conditional_t<are_words<Key, Value, Compare>,
                                std::type_identity<float_shape<Key, Compare, Threads, Items>>,
                                std::type_identity<merge_shape<Key, Value, Compare, Threads, Items>>>::type;

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

/// That shape if it applies: for floating-point keys without values in their natural order.
template <class Shape>
using word_shape_if_any =
    std::conditional_t<!Shape::has_values && is_ordered_as_word<typename Shape::key, typename Shape::compare>,
                       word_shape<Shape>, Shape>;

}  // namespace launchbox::detail
