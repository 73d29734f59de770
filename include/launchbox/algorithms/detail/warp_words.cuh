// launchbox: exchanges of values of any type between the threads of a warp, and copies to shared memory. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#endif

namespace launchbox::detail {

/// An uninitialised array, also of types without a default constructor.
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

/// The largest of a warp's values, for all its threads.
__device__ __forceinline__ unsigned warp_maximum(unsigned value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, value);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        const unsigned other = __shfl_xor_sync(0xffffffffu, value, distance);
        value = other > value ? other : value;
    }
    return value;
#endif
}

/// The condition, hidden from the compiler. Otherwise it may duplicate all code between one test of it and the next.
__device__ __forceinline__ bool forgotten(bool condition)
{
#ifdef __CUDA_ARCH__
    int known = condition ? 1 : 0;
    asm volatile("" : "+r"(known));
    return known != 0;
#else
    return condition;
#endif
}

/// Whether copy_async uses the instruction for such copies, which exists from 8.0 on, for these types.
template <class To, class From>
inline constexpr bool copies_asynchronously =
    std::is_same_v<To, From> && (sizeof(To) == 4 || sizeof(To) == 8 || sizeof(To) == 16) && alignof(To) == sizeof(To);

/// Starts a copy from global to shared memory, which is complete after `wait_for_copies` and a barrier. It needs no
/// registers, so that a thread can have all its loads in flight.
template <class To, class From>
__device__ __forceinline__ void copy_async(To* shared, const From* global)
{
#ifdef __CUDA_ARCH__
    if constexpr (copies_asynchronously<To, From>) {
        __pipeline_memcpy_async(shared, global, sizeof(To));
        return;
    }
#endif
    *shared = static_cast<To>(*global);
}

__device__ __forceinline__ void wait_for_copies()
{
#ifdef __CUDA_ARCH__
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
}

}  // namespace launchbox::detail
