// `tune` on many ranks: what rank 0 plans and what the others do, whatever carries their messages.
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

/// Of the command line; the same on all ranks.
struct cluster_settings {
    int compile_ranks = 0;
    double silence_seconds = 30;
    double start_seconds = 120;  ///< for all ranks to report
};

/// What rank 0 has of the others while it tunes.
struct cluster_coordinator {
    std::shared_ptr<rank_calls> calls;
    std::jthread own_server;  ///< rank 0 measures, too, where it has a GPU that no other rank needs
};

/// The backends of all ranks, for rank 0. What is worth knowing about ranks is said. Throws `error` where ranks do not
/// fit together.
planned_backends plan_cluster(const tune_spec& spec, const backend_request& request, const cluster_settings& settings,
                              const rank_link& link, const rank_link& own_link, cluster_coordinator& coordinator,
                              const listener& news);

/// What every other rank does.
serving_end serve_cluster(const tune_spec& spec, const backend_request& request, const rank_link& link);

/// A rank that could not even begin: rank 0 is told why.
serving_end report_failure(const std::string& what, const std::string& hint, const rank_link& link);

}  // namespace launchbox::mpi
