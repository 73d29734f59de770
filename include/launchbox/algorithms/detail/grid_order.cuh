// launchbox: kernels that begin before the one ahead of them in the stream has ended. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace launchbox::detail {

// A kernel that is launched so (programmatic_dependent_launch of its body) waits before it first reads or writes global
// memory; what it makes of its parameters alone may come before. That keeps the order of the stream: the wait ends once
// the kernel ahead has ended and what it wrote is visible, that one has ended only after its own wait, and so on up to
// the first that was launched without. What follows without, a copy or a release of memory too, waits anyway.
//
// Or it waits for words alone, each of its blocks for its own, where the kernel ahead has let it begin at once, after
// its own wait, and only writes such words. It begins when all blocks of that one have, so that none of them lacks a
// place; it ends after all words are there, and so after all that the other one does.

/// Until the kernel ahead has ended. Nothing to wait for in code for less than 9.0, which is launched when it has.
__device__ __forceinline__ void wait_for_grid_ahead()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// Lets the kernel behind begin once every block has come here or has ended: where all blocks run, so that those that
/// only wait take no place from them. Says nothing about memory.
__device__ __forceinline__ void let_next_grid_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Writes a word that the next kernel may wait for. Who sees it sees too what this thread has waited for.
__device__ __forceinline__ void publish_word(std::int64_t* place, std::int64_t word)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("st.release.gpu.global.s64 [%0], %1;" ::"l"(__cvta_generic_to_global(place)), "l"(word) : "memory");
#else
    *place = word;
#endif
}

/// Two words that may be published meanwhile.
struct published_words {
    std::int64_t first, second;

    /// What the publisher of the second has waited for is visible from here on: two such reads would wait twice.
    __device__ __forceinline__ published_words(const std::int64_t* first_place, const std::int64_t* second_place)
    {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile("ld.relaxed.gpu.global.s64 %0, [%2]; ld.acquire.gpu.global.s64 %1, [%3];"
                     : "=l"(first), "=l"(second)
                     : "l"(__cvta_generic_to_global(first_place)), "l"(__cvta_generic_to_global(second_place))
                     : "memory");
#else
        first = *first_place;
        second = *second_place;
#endif
    }
};

/// Before such words are read again.
__device__ __forceinline__ void wait_a_little()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __nanosleep(200);
#endif
}

}  // namespace launchbox::detail
