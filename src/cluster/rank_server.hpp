// A rank that does what the coordinator (rank 0) asks: prepares candidates on its cores, and measures them on its GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cluster/cluster_messages.hpp"
#include "cluster/rank_link.hpp"
#include "tune/run/backend.hpp"

namespace launchbox {

struct rank_server_options {
    int coordinator = 0;           ///< its rank
    std::filesystem::path folder;  ///< for modules, also those that other ranks send; what is in it may be removed
    double heartbeat_seconds = 1;
    std::size_t workloads = std::numeric_limits<std::size_t>::max();  ///< of the spec: others are no work
    /// The backends as the role has them: of a rank with a GPU the one that it measures with. What it throws is told to
    /// the coordinator.
    std::function<std::vector<tune_backend>(const rank_role&)> open;
};

/// Why a rank stopped serving.
enum class serving_end : std::uint8_t {
    complete,          ///< the coordinator said that all is done
    some_ranks_lost,   ///< it said so, and that some ranks died or hang: MPI_Finalize would wait for them
    coordinator_lost,  ///< the coordinator is not heard of any more
};

/// Tells the coordinator of this rank, and serves it until one of these.
serving_end serve_rank(const rank_link& link, const rank_facts& facts, const rank_server_options& options);

}  // namespace launchbox
