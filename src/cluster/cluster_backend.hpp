// Presents ranks as devices of the engine: work done there looks as if it were done here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cluster/rank_calls.hpp"
#include "tune/run/backend.hpp"

namespace launchbox {

struct cluster_rank {
    int rank = 0;
    unsigned jobs = 1;  ///< compilers at once
};

struct cluster_backend_options {
    std::size_t backend = 0;                   ///< its number, for ranks that prepare for several backends
    std::vector<cluster_rank> measuring = {};  ///< one GPU each, all of one kind
    std::vector<cluster_rank> compiling = {};  ///< without a GPU
};

/// `local`, as the coordinator knows it (environment, hashes, checks, prior), with its work done by the ranks.
tune_backend cluster_backend(tune_backend local, const std::shared_ptr<rank_calls>& calls,
                             const cluster_backend_options& options);

}  // namespace launchbox
