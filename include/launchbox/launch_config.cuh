// launchbox: how a kernel is launched, as users write it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <launchbox/launch_extent.hpp>

namespace launchbox {

/// How a kernel is launched. Numbers may be of any integer type, extents also `{x, y, z}` or dim3. Leave out grid,
/// threads and shared memory for a body of launch_box.cuh: it takes them from its row.
struct launch_config {
    launch_extent grid = 1;               ///< blocks
    launch_extent threads = 0;            ///< per block; must be given
    byte_count dynamic_shared_bytes = 0;  ///< per block; above 48 KB the launch opts in automatically
    cudaStream_t stream = nullptr;
    launch_extent cluster = 1;  ///< blocks in a cluster, from 9.0 on; above 8 the launch opts in automatically
    /// The kernel may begin before the preceding one in the stream has ended (cudaGridDependencySynchronize waits for
    /// it), from 9.0 on.
    bool programmatic_dependent_launch = false;
    bool cooperative = false;  ///< the blocks can wait for each other: all of them must be resident at once
};

}  // namespace launchbox
