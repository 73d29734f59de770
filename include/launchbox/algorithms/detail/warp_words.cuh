// launchbox: values of any type between the threads of a warp, and copies to shared memory. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

#ifdef __CUDACC__
#include <cuda_pipeline_primitives.h>
#endif

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

/// Moves `at`, in shared memory, by `step` bytes and then adds `change` to `step` if bit `i`, a constant, of `steps` is
/// set. The compiler would compare and select, two instructions each for the integer units. Here those make predicates
/// of seven bits at a time, and the rest is for the multipliers: by 1, the height that every block here has, which the
/// compiler does not know.
__device__ __forceinline__ void take_step(unsigned steps, int i, unsigned char*& at, int& step, int change)
{
#ifdef __CUDA_ARCH__
    unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at));
    asm("{\n\t"
        ".reg .pred p;\n\t"
        ".reg .b32 bit;\n\t"
        "and.b32 bit, %2, %3;\n\t"
        "setp.ne.u32 p, bit, 0;\n\t"
        "@p mad.lo.u32 %0, %1, %5, %0;\n\t"
        "@p mad.lo.u32 %1, %1, %5, %4;\n\t"
        "}"
        : "+&r"(address), "+&r"(step)
        : "r"(steps), "r"(1u << i), "r"(change), "r"(blockDim.y));
    at = static_cast<unsigned char*>(__cvta_shared_to_generic(address));
#else
    if ((steps >> i & 1) != 0) {
        at += step;
        step += change;
    }
#endif
}

/// Adds where the condition holds: one instruction, and of the multipliers, as above.
__device__ __forceinline__ void add_if(bool condition, int& to, int amount)
{
#ifdef __CUDA_ARCH__
    asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p mad.lo.s32 %0, %2, %3, %0;}"
        : "+r"(to)
        : "r"(static_cast<int>(condition)), "r"(blockDim.y), "r"(amount));
#else
    if (condition) to += amount;
#endif
}

/// A branch that is not taken, across which the compiler delays nothing.
__device__ __forceinline__ void end_delays([[maybe_unused]] bool never)
{
#ifdef __CUDA_ARCH__
    if (never) __trap();
#endif
}

/// Exchanges two values if `swaps`. Of their words the integer units select one and the multipliers move the other, by
/// 1 as above, or both if they do it `Alone`, which is an instruction more. The compiler would select both, and 64-bit
/// integers it would compare twice, for a minimum and a maximum.
template <bool Alone, class Type>
__device__ __forceinline__ void exchange_if(bool swaps, Type& first, Type& second)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Type) == 16 && std::is_convertible_v<Type, unsigned long long>) {
        // By halves, since the words of such a number are otherwise copied through memory.
        auto a = static_cast<unsigned long long>(first), b = static_cast<unsigned long long>(second);
        auto a_high = static_cast<unsigned long long>(first >> 64),
             b_high = static_cast<unsigned long long>(second >> 64);
        exchange_if<Alone>(swaps, a, b);
        exchange_if<Alone>(swaps, a_high, b_high);
        first = static_cast<Type>(a_high) << 64 | static_cast<Type>(a);
        second = static_cast<Type>(b_high) << 64 | static_cast<Type>(b);
        return;
    } else if constexpr (sizeof(Type) == 4 || sizeof(Type) == 8) {
        constexpr int words = sizeof(Type) / 4;
        unsigned a[words], b[words];
        std::memcpy(a, &first, sizeof(Type));
        std::memcpy(b, &second, sizeof(Type));
#pragma unroll
        for (int i = 0; i < words; ++i)
            if constexpr (Alone)
                asm("{\n\t"
                    ".reg .pred p;\n\t"
                    ".reg .b32 step;\n\t"
                    "setp.ne.u32 p, %2, 0;\n\t"
                    "mad.lo.u32 step, %0, %4, %1;\n\t"
                    "@p mad.lo.u32 %0, step, %3, %0;\n\t"
                    "@p mad.lo.u32 %1, step, %4, %1;\n\t"
                    "}"
                    : "+&r"(a[i]), "+&r"(b[i])
                    : "r"(static_cast<unsigned>(swaps)), "r"(blockDim.y), "r"(0u - blockDim.y));
            else
                asm("{\n\t"
                    ".reg .pred p;\n\t"
                    ".reg .b32 old;\n\t"
                    "setp.ne.u32 p, %2, 0;\n\t"
                    "mov.b32 old, %0;\n\t"
                    "selp.b32 %0, %1, old, p;\n\t"
                    "@p mad.lo.u32 %1, old, %3, 0;\n\t"
                    "}"
                    : "+&r"(a[i]), "+&r"(b[i])
                    : "r"(static_cast<unsigned>(swaps)), "r"(blockDim.y));
        std::memcpy(&first, a, sizeof(Type));
        std::memcpy(&second, b, sizeof(Type));
        return;
    }
#endif
    const Type lower = swaps ? second : first;
    second = swaps ? first : second;
    first = lower;
}

/// Whether copy_async has an instruction of its own for the types, from 8.0 on.
template <class To, class From>
inline constexpr bool copies_asynchronously = std::is_same_v<To, From> &&
                                              (sizeof(To) == 4 || sizeof(To) == 8 || sizeof(To) == 16) &&
                                              alignof(To) == sizeof(To);

/// Begins to copy from global to shared memory; `wait_for_copies` and a barrier later it is there. It needs no register
/// meanwhile, so that a thread can have all its reads on their way.
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
