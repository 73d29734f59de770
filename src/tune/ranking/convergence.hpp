// How fast a run found its result: the best so far, by evaluations and by time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "tune/ranking/ranking.hpp"

namespace launchbox {

/// Gaps to the final best for which the first evaluation within them is reported.
constexpr std::array convergence_parts{0.10, 0.05, 0.01};

/// The quantity that a search optimizes: the time in nanoseconds, the cost by another objective, or a score over all
/// workloads, which is better when higher.
enum class convergence_kind { time, cost, score };

/// A candidate that was better than all before it.
struct improvement {
    std::size_t evaluation = 0;  ///< its number, from 1
    double seconds = 0;          ///< charged until it was known
    double value = 0;            ///< by the kind of its `convergence`
    double gap = 0;              ///< of the final best: 0.05 takes 5 % longer
    assignment parameters;
};

/// For one workload of a run, or for its score over all workloads.
struct convergence {
    std::optional<assignment> workload;  ///< `nullopt`: over all workloads
    convergence_kind kind = convergence_kind::time;
    std::size_t evaluations = 0;
    double seconds = 0;
    std::vector<improvement> improvements = {};  ///< the last is the final best; empty: nothing may win
    /// For each of `convergence_parts`: the first index in `improvements` with that gap or less. Meaningless without
    /// improvements.
    std::array<std::size_t, convergence_parts.size()> reached = {};
};

/// One per workload, in the order of `rankings`; with several workloads, one over all of them at the end.
///
/// `results` are in the order of their measurement; `rankings` were made from them. Every candidate that was not
/// rejected is one evaluation; over all workloads it counts once, when its last workload is done. Time is charged as if
/// compiling and measuring were sequential. A compile for several workloads is charged once, and a candidate whose code
/// equals another's costs only its compile. The time of a workload is that of its own results.
std::vector<convergence> converge(const std::vector<stored_result>& results, const std::vector<ranking>& rankings);

}  // namespace launchbox
