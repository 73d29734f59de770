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

// A kernel that finds before its own wait that it has nothing to do may let the next one begin at once; it still waits
// then, and ends (end_without_work). What it finds that by was written by a kernel that ended before one ahead of this
// one began: one behind it called let_next_grid_begin(), or ended, after its own wait. Such a kernel takes about a
// microsecond instead of two and a half: the next one, which may be another, has begun by then.

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

/// Ends a kernel that has nothing to do. Called by all its threads, before wait_for_grid_ahead().
__device__ __forceinline__ void end_without_work()
{
    let_next_grid_begin();
    wait_for_grid_ahead();
    // A return that depends on data makes all that follows slower: nvcc no longer takes the threads of a warp to be
    // together.
#ifdef __CUDA_ARCH__
    asm volatile("exit;");
#endif
}

/// A word that was written long before, for a kernel that has not waited: not from a cache that may be older.
__device__ __forceinline__ std::uint64_t word_before_wait(const unsigned long long* place)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(__cvta_generic_to_global(place)) : "memory");
    return word;
#else
    return *place;
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

/// Before such words are read again.
__device__ __forceinline__ void wait_a_little()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __nanosleep(200);
#endif
}

}  // namespace launchbox::detail
