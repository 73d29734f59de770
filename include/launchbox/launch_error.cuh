// launchbox: the exception of a launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include <launchbox/launch_error_kind.hpp>
#include <launchbox/occupancy_result.hpp>

namespace launchbox {

/// A launch that was refused, or a query about a kernel that cannot be answered on this GPU. `what()` says why, and
/// what to do.
class launch_error : public std::runtime_error {
public:
    launch_error(const std::string& what, cudaError_t in_code, launch_error_kind in_kind,
                 launch_obstacle in_obstacle = launch_obstacle::none, cudaError_t in_earlier = cudaSuccess)
        : std::runtime_error(what), code(in_code), kind(in_kind), obstacle(in_obstacle), earlier(in_earlier)
    {
    }

    cudaError_t code;          ///< the runtime's
    launch_error_kind kind;    ///< what is wrong
    launch_obstacle obstacle;  ///< for `launch_error_kind::block`: the limit that the block exceeds
    cudaError_t earlier;       ///< an error that was already pending; cudaSuccess: none
};

}  // namespace launchbox
