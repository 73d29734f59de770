// launchbox: how a kernel is launched, as users write it and as the runtime takes it. Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <launchbox/detail/launch_extent.hpp>

namespace launchbox {

/// How a kernel is launched. Numbers may be of any integer type, extents also `{x, y, z}` or dim3.
struct launch_config {
    launch_extent grid = 1;         ///< blocks
    launch_extent threads = 0;      ///< per block; must be given
    byte_count dynamic_shared = 0;  ///< per block; above 48 KB the launch opts in by itself
    cudaStream_t stream = nullptr;
    launch_extent cluster = 1;  ///< blocks in a cluster, from 9.0 on; above 8 the launch opts in by itself
    /// May begin before the kernel ahead of it in the stream has ended (cudaGridDependencySynchronize waits), from 9.0
    /// on.
    bool programmatic_dependent_launch = false;
    bool cooperative = false;  ///< the blocks can wait for each other: all of them must be resident at once
};

namespace detail {

constexpr unsigned narrowed(std::int64_t value)
{
    // What does not fit is refused by the runtime as it is here, and named from the config.
    return value < 0 ? 0 : static_cast<unsigned>(std::min<std::int64_t>(value, std::numeric_limits<unsigned>::max()));
}

inline dim3 dim3_of(const launch_extent& extent)
{
    return {narrowed(extent.x), narrowed(extent.y), narrowed(extent.z)};
}

/// The configuration as the runtime takes it. Not copied: it points into itself.
struct runtime_config {
    explicit runtime_config(const launch_config& config)
    {
        native.gridDim = dim3_of(config.grid);
        native.blockDim = dim3_of(config.threads);
        // The driver's count is of 32 bits: the runtime would cut 2^32 bytes to 0.
        native.dynamicSmemBytes = config.dynamic_shared.bytes < 0 ? ~0u : narrowed(config.dynamic_shared.bytes);
        native.stream = config.stream;
        native.attrs = attributes;
        native.numAttrs = 0;
        if (config.cluster != launch_extent{}) {
            const dim3 cluster = dim3_of(config.cluster);
            add(cudaLaunchAttributeClusterDimension).clusterDim = {cluster.x, cluster.y, cluster.z};
        }
        if (config.programmatic_dependent_launch)
            add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
        if (config.cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
    }
    runtime_config(const runtime_config&) = delete;
    runtime_config& operator=(const runtime_config&) = delete;

    cudaLaunchAttributeValue& add(cudaLaunchAttributeID id)
    {
        cudaLaunchAttribute& added = attributes[native.numAttrs++];
        added.id = id;
        return added.val;
    }

    cudaLaunchConfig_t native;
    cudaLaunchAttribute attributes[3];
};

}  // namespace detail
}  // namespace launchbox
