// A rank that serves the coordinator (rank 0): prepares candidates on its cores, and measures them on its GPU.
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
    std::filesystem::path folder;  ///< for modules, also from other ranks; its files may be removed
    double heartbeat_seconds = 1;
    std::size_t workloads = std::numeric_limits<std::size_t>::max();  ///< of the spec; larger numbers are invalid
    /// Opens the backends of the role: for a rank with a GPU the one that it measures with. Its exceptions are reported
    /// to the coordinator.
    std::function<std::vector<tune_backend>(const rank_role&)> open;
};

/// Why a rank stopped serving.
enum class serving_end : std::uint8_t {
    complete,          ///< the coordinator reported that all is done
    some_ranks_lost,   ///< the same, but some ranks died or hang: MPI_Finalize would wait for them
    coordinator_lost,  ///< the coordinator no longer responds
};

/// Introduces this rank to the coordinator, and serves it until one of these ends.
serving_end serve_rank(const rank_link& link, const rank_facts& facts, const rank_server_options& options);

}  // namespace launchbox
