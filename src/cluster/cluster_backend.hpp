// Ranks as a device of the engine: what is prepared and measured there looks as if it were here.
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
    std::size_t backend = 0;                   ///< its number, for ranks that prepare for several
    std::vector<cluster_rank> measuring = {};  ///< one GPU each, alike
    std::vector<cluster_rank> compiling = {};  ///< without a GPU
};

/// `local` as the coordinator knows it (environment, hashes, checks, prior), with its work done by the ranks.
tune_backend cluster_backend(tune_backend local, const std::shared_ptr<rank_calls>& calls,
                             const cluster_backend_options& options);

}  // namespace launchbox
