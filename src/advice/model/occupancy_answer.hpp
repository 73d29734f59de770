// The occupancy of one launch among many: the figures without their arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>
#include <launchbox/occupancy.hpp>

#include <array>
#include <string>

#include "advice/model/account.hpp"

namespace launchbox {

struct occupancy_answer {
    compute_capability architecture;
    int resident_blocks = 0, resident_warps = 0, warp_slots = 0;
    double occupancy = 0;                      ///< 0 to 1
    std::array<int, resource_count> limits{};  ///< in blocks, by `resource`; `unlimited` if it does not limit
    resource_set limiters;
    std::string obstacle;  ///< why the block cannot be launched; empty if it can
};

/// The same figures as in `explain`.
occupancy_answer answer_of(const occupancy_question& question);

}  // namespace launchbox
