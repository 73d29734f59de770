// launchbox: kernels that begin before the one ahead of them in the stream has ended. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace launchbox::detail {

// A body with programmatic_dependent_launch may begin before the preceding kernel in the stream has ended. It must call
// wait_for_grid_ahead() before it first reads or writes global memory; it may compute with its parameters before, and
// read words that only ever change one way, if it reads unchanged ones again after the wait. That keeps the order of
// the stream: the wait ends once the preceding kernel has ended and its writes are visible; that kernel has ended only
// after its own wait, and so on, up to the first that was launched without. Copies, frees and kernels that are launched
// without it wait for whole kernels anyway.
//
// A kernel may instead wait for single words, each of its blocks for its own. Then the preceding kernel must only write
// such words (publish_word) and must call let_next_grid_begin() directly after its own wait. The waiting kernel begins
// when all blocks of the preceding kernel have begun, so that it takes no slots from them; it ends after all words are
// written, and so after everything else for which the preceding kernel waits.

/// Until the kernel ahead has ended. Nothing to wait for in code for less than 9.0, which is launched when it has.
__device__ __forceinline__ void wait_for_grid_ahead()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// Lets the next kernel begin once every block has come here or has ended. Called where all blocks run, so that waiting
/// blocks take no place from them. It makes no writes visible.
__device__ __forceinline__ void let_next_grid_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Writes a word that the next kernel may wait for. A thread that sees the word also sees what this thread has waited
/// for.
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

/// Adds to a counter that other blocks wait for. Called by all threads of a block; what they wrote is visible to those
/// that see the sum.
__device__ __forceinline__ void publish_count(unsigned& counter)
{
    __syncthreads();
    if (threadIdx.x != 0) return;
#ifdef __CUDA_ARCH__
    __threadfence();
#endif
    atomicAdd(&counter, 1u);
}

/// Before such words are read again.
__device__ __forceinline__ void wait_a_little()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __nanosleep(200);
#endif
}

/// Waits until a counter of publish_count has reached `count`. Called by all threads of a block.
__device__ __forceinline__ void wait_for_count(const unsigned& counter, unsigned count)
{
    if (threadIdx.x == 0) {
        while (*const_cast<const volatile unsigned*>(&counter) < count) wait_a_little();
#ifdef __CUDA_ARCH__
        __threadfence();
#endif
    }
    __syncthreads();
}

}  // namespace launchbox::detail
