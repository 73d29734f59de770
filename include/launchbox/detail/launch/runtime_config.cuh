// launchbox: a launch_config as the CUDA runtime takes it. Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <launchbox/launch_config.cuh>

namespace launchbox::detail {

constexpr unsigned narrowed(std::int64_t value)
{
    // The runtime refuses what does not fit, and the explanation names the value in the launch_config.
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
        // The driver's count has 32 bits: the runtime would truncate 2^32 bytes to 0.
        native.dynamicSmemBytes =
            config.dynamic_shared_bytes.bytes < 0 ? ~0u : narrowed(config.dynamic_shared_bytes.bytes);
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

}  // namespace launchbox::detail
