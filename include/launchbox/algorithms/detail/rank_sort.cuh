// launchbox: a thread sorts keys in its registers by counting. Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// Every two keys are compared, to count how many keys come before each. That is stable without tags, the comparisons do
// not depend on each other, and keys and values move only once, to their places. 16 keys take 120 comparisons; a stable
// network of 63 comparators takes 126. A block's tiles are not sorted this way: with few warps the larger code takes
// longer to load than it saves, and with many nothing is gained.
#pragma once

#include <cstring>

#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// A count below 2^23 as a floating-point number: other units add these than those that compare.
struct float_count {
    float number;

    __device__ __forceinline__ explicit float_count(int count) : number(8388608.0f + static_cast<float>(count)) {}
    __device__ __forceinline__ void add_if(bool condition, float amount)
    {
#ifdef __CUDA_ARCH__
        asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p add.f32 %0, %0, %2;}"
            : "+f"(number)
            : "r"(static_cast<int>(condition)), "f"(amount));
#else
        if (condition) number += amount;
#endif
    }
    [[nodiscard]] __device__ __forceinline__ int get() const
    {
        int bits;
        std::memcpy(&bits, &number, sizeof bits);
        return bits & 0x7fffff;
    }
};

/// The place of each of a thread's first `size` keys; `longest` is the largest size in the warp. If `less` is not a
/// strict weak order, as with NaNs, everything stays where it is.
template <int Most, class Keys, class Less>
__device__ __forceinline__ raw_array<int, Most> places_of(const Keys& keys, int size, int longest, const Less& less)
{
    raw_array<float_count, Most> ranks;
#pragma unroll
    for (int i = 0; i < Most; ++i) ranks[i] = float_count(i);
#pragma unroll
    for (int later = 1; later < Most; ++later) {
        if (later >= longest) break;
        const bool is_there = later < size;
#pragma unroll
        for (int i = 0; i < later; ++i) {
            const bool comes_first = is_there && less(keys[later], keys[i]);
            ranks[i].add_if(comes_first, 1);
            ranks[later].add_if(comes_first, -1);
        }
    }
    raw_array<int, Most> places;
    unsigned taken = 0;
#pragma unroll
    for (int i = 0; i < Most; ++i) {
        places[i] = ranks[i].get();
        if (i < size) taken |= 1u << places[i];
    }
    if (taken != (1u << size) - 1) {
#pragma unroll
        for (int i = 0; i < Most; ++i) places[i] = i;
    }
    return places;
}

}  // namespace launchbox::detail
