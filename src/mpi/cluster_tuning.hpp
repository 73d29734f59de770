// `tune` on many ranks: the plan of rank 0 and the work of the others, independent of how messages are carried.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "app/tuning/backends.hpp"
#include "cluster/rank_calls.hpp"
#include "cluster/rank_link.hpp"
#include "cluster/rank_server.hpp"

namespace launchbox::mpi {

/// From the command line; the same on all ranks.
struct cluster_settings {
    int compile_ranks = 0;
    double silence_seconds = 30;
    double start_seconds = 120;  ///< within which all ranks must report
};

/// What rank 0 keeps about the others while it tunes.
struct cluster_coordinator {
    std::shared_ptr<rank_calls> calls;
    std::jthread own_server;  ///< rank 0 measures, too, if it has a GPU that no other rank needs
};

/// The backends of all ranks, for rank 0. Reports remarks about the ranks. Throws `error` if ranks do not fit together.
planned_backends plan_cluster(const tune_spec& spec, const backend_request& request, const cluster_settings& settings,
                              const rank_link& link, const rank_link& own_link, cluster_coordinator& coordinator,
                              const listener& news);

/// Runs every other rank.
serving_end serve_cluster(const tune_spec& spec, const backend_request& request, const rank_link& link);

/// For a rank that could not even begin: tells rank 0 why.
serving_end report_failure(const std::string& what, const std::string& hint, const rank_link& link);

}  // namespace launchbox::mpi
