// How a kernel is launched, as assumed when bounds are tried, and how many of its blocks are then resident.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/occupancy.hpp>

#include <cstdint>
#include <optional>

#include "image/kernel_info.hpp"

namespace launchbox {

struct bounds_launch {
    std::int64_t dynamic_shared_bytes = 0;     ///< per block
    std::int64_t dynamic_shared_per_warp = 0;  ///< and for every 32 threads of the block
    bool dynamic_shared_known = true;          ///< false: there is some, but none is counted
    /// cudaFuncAttributeMaxDynamicSharedMemorySize; if unset, raised to the maximum, as a working program would.
    std::optional<std::int64_t> max_dynamic_shared_bytes = std::nullopt;

    [[nodiscard]] std::int64_t dynamic_shared_of(int threads) const
    {
        return dynamic_shared_bytes + dynamic_shared_per_warp * threads / 32;
    }
    friend bool operator==(const bounds_launch&, const bounds_launch&) = default;
};

launch_settings settings_of(const sm_limits& limits, const kernel_info& kernel, const bounds_launch& launch);

/// The resident blocks of this kernel, as compiled, in blocks of `threads`.
occupancy_result residency_of(const sm_limits& limits, const kernel_info& kernel, int threads,
                              const bounds_launch& launch);

/// The same without registers and launch bound: an upper limit for any register count.
occupancy_result room_of(const sm_limits& limits, const kernel_info& kernel, int threads, const bounds_launch& launch);

/// The largest figures with which `blocks` blocks of `threads` are resident, ignoring the present launch bound.
resource_allowance room_for(const sm_limits& limits, const kernel_info& kernel, int threads, int blocks,
                            const bounds_launch& launch);

}  // namespace launchbox
