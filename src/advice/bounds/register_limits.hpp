// The registers that `__launch_bounds__(threads, min_blocks)` leaves, without a kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/launch_bounds.hpp>

#include <optional>
#include <string>
#include <vector>

namespace launchbox {

struct bound_limit {
    int min_blocks = 0;
    launch_bounds_verdict verdict = launch_bounds_verdict::honoured;
    std::optional<int> registers = {};  ///< per thread, at most; `nullopt` if ptxas ignores the bound
    double occupancy = 0;               ///< of the resident blocks; 0 if ptxas ignores the bound
};

/// One block size on one chip.
struct register_limits {
    compute_capability architecture;
    const sm_limits* limits = nullptr;
    std::string gpu;  ///< the model that the user named; empty for an architecture
    int threads = 0;
    int max_min_blocks = 0;  ///< the largest that ptxas honours with these threads
    std::vector<bound_limit> bounds;
};

/// For these `min_blocks`, in this order; if none, for each that ptxas honours.
std::vector<bound_limit> limits_of_bounds(const sm_limits& limits, int threads, std::vector<int> min_blocks);

/// Why ptxas ignores the bound, in words: "8 × 8 = 64 warps, and the SM has 48 warp slots". Empty if it does not.
std::string why_ignored(const sm_limits& limits, int threads, const bound_limit& bound);

}  // namespace launchbox
