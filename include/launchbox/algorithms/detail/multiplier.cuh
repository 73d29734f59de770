// launchbox: moves work from the integer units of an SM to its multipliers. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>

namespace launchbox::detail {

/// The value 1, unknown to the compiler: every block of a merge sort is launched with height 1. A product with it stays
/// a multiplication. The multipliers of an SM work beside its integer units, which issue minimum, maximum, comparison
/// and selection only every second cycle on 9.0; work moved to the multipliers is therefore free, as long as it costs
/// few additional instructions. All code here relies on this value being 1, and code compiled with nvcc -G checks it.
__device__ __forceinline__ unsigned opaque_one()
{
    const unsigned height = blockDim.y;
#ifdef __CUDACC_DEBUG__
    if (height != 1) __trap();
#endif
    return height;
}

/// Moves `at`, in shared memory, by `step` bytes and then adds `change` to `step` if bit `i`, a constant, of `steps` is
/// set. The compiler would compare and select, two integer instructions each. Here the integer units only make the
/// predicates, seven bits at a time, and the multipliers do the rest.
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
        : "r"(steps), "r"(1u << i), "r"(change), "r"(opaque_one()));
    at = static_cast<unsigned char*>(__cvta_shared_to_generic(address));
#else
    if ((steps >> i & 1) != 0) {
        at += step;
        step += change;
    }
#endif
}

/// Adds if the condition holds, with one instruction of the multipliers.
__device__ __forceinline__ void add_if(bool condition, int& to, int amount)
{
#ifdef __CUDA_ARCH__
    asm("{.reg .pred p; setp.ne.s32 p, %1, 0; @p mad.lo.s32 %0, %2, %3, %0;}"
        : "+r"(to)
        : "r"(static_cast<int>(condition)), "r"(opaque_one()), "r"(amount));
#else
    if (condition) to += amount;
#endif
}

/// A branch that is never taken: the compiler moves no instruction across it, so that what stands before it is executed
/// before it.
__device__ __forceinline__ void end_delays([[maybe_unused]] bool never)
{
#ifdef __CUDA_ARCH__
    if (never) __trap();
#endif
}

/// Exchanges two values if `swaps`. Of each pair of words the integer units select one and the multipliers move the
/// other; with `alone`, a constant, the multipliers move both, with one more instruction. The compiler would select
/// both with the integer units, and would compare 64-bit integers twice, for a minimum and a maximum.
template <class Type>
__device__ __forceinline__ void exchange_if([[maybe_unused]] bool alone, bool swaps, Type& first, Type& second)
{
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Type) == 16 && std::is_convertible_v<Type, unsigned long long>) {
        // By halves: otherwise the words of a 64-bit number are copied through memory.
        auto a = static_cast<unsigned long long>(first), b = static_cast<unsigned long long>(second);
        auto a_high = static_cast<unsigned long long>(first >> 64),
             b_high = static_cast<unsigned long long>(second >> 64);
        exchange_if(alone, swaps, a, b);
        exchange_if(alone, swaps, a_high, b_high);
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
            if (alone)
                asm("{\n\t"
                    ".reg .pred p;\n\t"
                    ".reg .b32 step;\n\t"
                    "setp.ne.u32 p, %2, 0;\n\t"
                    "mad.lo.u32 step, %0, %4, %1;\n\t"
                    "@p mad.lo.u32 %0, step, %3, %0;\n\t"
                    "@p mad.lo.u32 %1, step, %4, %1;\n\t"
                    "}"
                    : "+&r"(a[i]), "+&r"(b[i])
                    : "r"(static_cast<unsigned>(swaps)), "r"(opaque_one()), "r"(0u - opaque_one()));
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
                    : "r"(static_cast<unsigned>(swaps)), "r"(opaque_one()));
        std::memcpy(&first, a, sizeof(Type));
        std::memcpy(&second, b, sizeof(Type));
        return;
    }
#endif
    const Type lower = swaps ? second : first;
    second = swaps ? first : second;
    first = lower;
}

}  // namespace launchbox::detail
