// Suggested block sizes, with the runners-up and the rules of thumb.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/block_size.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "advice/model/rules_of_thumb.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// `occupancy` counts threads here, as cudaOccupancyMaxPotentialBlockSize does when it compares block sizes.
struct block_size_candidate {
    block_size_choice choice;
    occupancy_result result;
    std::vector<rule_check> rules;
};

/// The answer for one architecture (and one kernel). The first candidate is the suggestion; if there is none, no block
/// can be launched.
struct block_size_advice {
    compute_capability architecture;
    const sm_limits* limits = nullptr;
    std::string kernel;  ///< may be empty
    kernel_resources resources;
    std::string dynamic_shared;        ///< the user's expression, or a number; may be empty
    bool dynamic_shared_known = true;  ///< false: the kernel uses some, but 0 is assumed
    std::vector<block_size_candidate> candidates;
    std::string obstacle = {};  ///< why there is no candidate; empty if there is one
    std::string fixed = {};     ///< why the block size is fixed and not ranked; empty if it is not
    std::optional<int> sms;
    std::string gpu = {};                 ///< the model that the user named; empty for an architecture
    int cluster_blocks = 1;               ///< blocks in a cluster; 1: no cluster
    std::vector<std::string> notes = {};  ///< what else a launch needs
};

document suggest_document(const std::vector<block_size_advice>& all);

/// launchbox.suggestions/2.
nlohmann::ordered_json suggest_json(const std::vector<block_size_advice>& all);

table suggest_table(const std::vector<block_size_advice>& all);

}  // namespace launchbox
