// launchbox: kernels that begin before the one ahead of them in the stream has ended. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox::detail {

// A kernel that is launched so (programmatic_dependent_launch of its body) waits before it first reads or writes global
// memory; what it makes of its parameters alone may come before. That keeps the order of the stream: the wait ends once
// the kernel ahead has ended and what it wrote is visible, that one has ended only after its own wait, and so on up to
// the first that was launched without. What follows without, a copy or a release of memory too, waits anyway.

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

}  // namespace launchbox::detail
