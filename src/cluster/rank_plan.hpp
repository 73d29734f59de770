// Plans which rank measures on which GPU and which compile, and finds problems, before any work starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/cluster_messages.hpp"
#include "cluster/rank_server.hpp"

namespace launchbox {

/// GPUs of one kind with the same driver and toolkit: their results are one run.
struct rank_group {
    gpu_device gpu;  ///< one of them
    std::string driver, toolkit;
    std::vector<int> ranks = {};  ///< that measure on them, in order
};

struct rank_plan {
    std::map<int, rank_role> roles;  ///< of participating ranks
    std::vector<rank_group> groups;
    std::vector<std::string> notes;  ///< remarks, one sentence each
};

struct rank_plan_options {
    int ranks = 1;
    int coordinator = 0;
    int compile_ranks = 0;  ///< ranks that may be without a GPU
    unsigned jobs = 0;      ///< compilers at once of each rank; 0: its share of the available cores
    double silence_seconds = 30;
};

/// Each GPU is given to one rank; the coordinator gets one that no other rank needs, or none. Throws `error` for ranks
/// that cannot take part, run another version of launchbox, read different files, or have no GPU of their own.
rank_plan plan_ranks(const std::map<int, rank_facts>& facts, const rank_plan_options& options);

/// "rank 3 (node7, GPU 1)".
std::string name_of(const rank_facts& facts, int gpu);

}  // namespace launchbox
