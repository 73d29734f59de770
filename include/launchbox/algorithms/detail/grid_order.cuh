// launchbox: kernels that begin before the preceding one in the stream has ended. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace launchbox::detail {

// A body with programmatic_dependent_launch may begin before the preceding kernel in the stream has ended. It must call
// wait_for_grid_ahead() before it first reads or writes global memory. Before that it may compute with its parameters,
// and read words that only ever change in one direction, if it reads those that are still unchanged again after the
// wait. That keeps the order of the stream: the wait ends once the preceding kernel has ended and its writes are
// visible; that kernel has ended only after its own wait, and so on, back to the first kernel that was launched without
// the attribute. Copies, frees and kernels without the attribute wait for whole kernels anyway.
//
// Each block of a kernel may instead wait for words of its own. Then the preceding kernel must write nothing but such
// words (publish_word) and must call let_next_grid_begin() directly after its own wait. The waiting kernel begins when
// all blocks of the preceding kernel have begun, so that it takes no slots from them; it ends after all words are
// written, and so after everything that the preceding kernel waits for.

/// Waits until the preceding kernel has ended. Code for less than 9.0 is launched only then, and does not wait.
__device__ __forceinline__ void wait_for_grid_ahead()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// Lets the next kernel begin once every block has called this or has ended. Called when all blocks run, so that
/// waiting blocks take no slots from them. It makes no writes visible.
__device__ __forceinline__ void let_next_grid_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Writes a word that the next kernel may wait for. A thread that sees the word also sees the writes that this thread
/// has waited for.
__device__ __forceinline__ void publish_word(std::int64_t* place, std::int64_t word)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("st.release.gpu.global.s64 [%0], %1;" ::"l"(__cvta_generic_to_global(place)), "l"(word) : "memory");
#else
    *place = word;
#endif
}

/// Two words that may be published at any time.
struct published_words {
    std::int64_t first, second;

    /// Makes visible what the publisher of the second word has waited for. Only one of the two reads acquires, since
    /// each such read waits.
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

/// Increments a counter that other blocks wait for. Called by all threads of a block; their writes are visible to
/// threads that see the new value.
__device__ __forceinline__ void publish_count(unsigned& counter)
{
    __syncthreads();
    if (threadIdx.x != 0) return;
#ifdef __CUDA_ARCH__
    __threadfence();
#endif
    atomicAdd(&counter, 1u);
}

/// A pause before such words are read again.
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
