// The classic rules for choosing a block size, checked for one candidate, and what breaking them costs here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/block_size.hpp>

#include <string>
#include <vector>

namespace launchbox {

/// One rule. `costs` says whether breaking it takes resident warps, or lanes, from this candidate.
struct rule_check {
    std::string id;    ///< warp_multiple, enough_threads, divides_sm, registers_share, shared_share
    std::string rule;  ///< the rule in words
    bool kept = true;
    bool costs = false;
    std::string figure;  ///< "2,048 / 768 = 2.67"
};

/// All five, in order.
std::vector<rule_check> check_rules(const sm_limits& limits, const kernel_resources& kernel,
                                    const block_size_choice& choice, const launch_settings& settings);

}  // namespace launchbox
