// How fast a run found what it found: the best so far by evaluations and by time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "tune/ranking/ranking.hpp"

namespace launchbox {

/// Parts above the final best whose reaching is told of.
constexpr std::array convergence_parts{0.10, 0.05, 0.01};

/// What a search looked for: the time in nanoseconds, the cost by another objective, or a score over all workloads, of
/// which more is better.
enum class convergence_kind { time, cost, score };

/// A candidate that was better than all before it.
struct improvement {
    std::size_t evaluation = 0;  ///< its number, from 1
    double seconds = 0;          ///< charged until it was known
    double value = 0;            ///< by the kind of its `convergence`
    double gap = 0;              ///< of the final best: 0.05 takes 5 % longer
    assignment parameters;
};

/// Of one workload of a run, or of its score over all workloads.
struct convergence {
    std::optional<assignment> workload;  ///< `nullopt`: over all workloads
    convergence_kind kind = convergence_kind::time;
    std::size_t evaluations = 0;
    double seconds = 0;
    std::vector<improvement> improvements = {};  ///< the last is the final best; empty: nothing may win
    /// For each of `convergence_parts`: the first place in `improvements` with that gap or less. Meaningless without.
    std::array<std::size_t, convergence_parts.size()> reached = {};
};

/// One a workload, in the order of `rankings`, and with several workloads the one over all of them at the end.
///
/// `results` are in the order in which they were measured; `rankings` are of them. Every candidate that was not
/// rejected is an evaluation; over all workloads it is one evaluation, known when its last workload is. Time is charged
/// as if one thing were done after the other: compiling and measuring. A compile that serves several workloads is
/// charged once, and a candidate with the code of another costs its compile alone. The time of a workload is that of
/// its own results.
std::vector<convergence> converge(const std::vector<stored_result>& results, const std::vector<ranking>& rankings);

}  // namespace launchbox
