// The classic rules for choosing a block size, checked for one candidate, and the cost of breaking them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/block_size.hpp>

#include <string>
#include <vector>

namespace launchbox {

/// One rule. `costs`: whether breaking it costs resident warps, or lanes, for this candidate.
struct rule_check {
    std::string id;     ///< warp_multiple, enough_threads, divides_sm, registers_share, shared_share
    std::string name;   ///< in two or three words
    std::string rule;   ///< the rule in words
    bool known = true;  ///< false: a required figure is unknown, and `kept` and `costs` are meaningless
    bool kept = true;
    bool costs = false;
    std::string figure;  ///< "2,048 / 768 = 2.67"
};

/// Which figures of the kernel are known.
struct known_figures {
    bool registers = true, shared = true;
};

/// All five, in order.
std::vector<rule_check> check_rules(const sm_limits& limits, const kernel_resources& kernel,
                                    const block_size_choice& choice, const launch_settings& settings,
                                    const known_figures& known = {});

}  // namespace launchbox
