// launchbox: values of any type between the threads of a warp, and copies to shared memory. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

namespace launchbox::detail {

/// An array that begins without values, as an array of integers does, also of types that have no default constructor.
template <class Type, int Count>
struct raw_array {
    union {
        Type data[Count];
    };
    __device__ __forceinline__ raw_array() {}
    __device__ __forceinline__ Type& operator[](int i) { return data[i]; }
    __device__ __forceinline__ const Type& operator[](int i) const { return data[i]; }
};

/// __shfl_xor_sync of any trivially copyable type, in groups of `Width` threads.
template <int Width, class Type>
__device__ __forceinline__ Type shuffle_xor(const Type& value, int mask)
{
    constexpr int words = (sizeof(Type) + 3) / 4;
    unsigned raw[words] = {};
    std::memcpy(raw, &value, sizeof(Type));
#pragma unroll
    for (int i = 0; i < words; ++i) raw[i] = __shfl_xor_sync(~0u, raw[i], mask, Width);
    Type other = value;
    std::memcpy(&other, raw, sizeof(Type));
    return other;
}

/// __shfl_sync of any trivially copyable type.
template <class Type>
__device__ __forceinline__ Type shuffle_from(const Type& value, int lane)
{
    constexpr int words = (sizeof(Type) + 3) / 4;
    unsigned raw[words] = {};
    std::memcpy(raw, &value, sizeof(Type));
#pragma unroll
    for (int i = 0; i < words; ++i) raw[i] = __shfl_sync(~0u, raw[i], lane);
    Type other = value;
    std::memcpy(&other, raw, sizeof(Type));
    return other;
}

}  // namespace launchbox::detail
