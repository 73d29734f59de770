// One figure for a candidate on several workloads: the weighted geometric mean of its speed-ups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tune/ranking/ranking.hpp"

namespace launchbox {

struct workload_speed {
    std::size_t ranking = 0;    ///< which workload
    std::size_t candidate = 0;  ///< its place among the ranked candidates of that workload
    gain speed;                 ///< over the reference
};

/// A candidate that may win on every workload.
struct overall_candidate {
    assignment parameters;
    gain score = {};                          ///< weighted geometric mean of `speeds`, its interval from theirs
    std::vector<workload_speed> speeds = {};  ///< one a workload
    std::size_t worst = 0;                    ///< place in `speeds` of the least speed-up
    /// Its time over the reference's, 1 / score, with the interval of its own samples alone.
    sample_summary relative = {};
    bool is_baseline = false;
    /// Place of the first candidate that has its code on every workload: one choice, under two names.
    std::optional<std::size_t> same_as = {};
};

struct overall_ranking {
    /// Otherwise the reference of each workload is the fastest candidate there, and scores are 1 at most.
    bool over_baseline = false;
    std::vector<overall_candidate> candidates;  ///< the best first
    std::size_t incomplete = 0;                 ///< candidates that were measured on some workloads and not on all
    std::optional<gain> over_next = {};         ///< of the best over the next with other code, without the reference
    /// Index in `candidates` of the one to use: the best, or the choice of the tie rule among those equal to it.
    /// `nullopt`: there is none, or the samples do not decide.
    std::optional<std::size_t> winner = {};
    tie_choice tie = {};                     ///< why it is the winner; `chosen` says nothing
    std::optional<sample_noise> noise = {};  ///< where they do not tell
};

/// `results`: those that were ranked. Candidates of a final race are compared by it. Intervals are the widest that the
/// samples allow: every workload at the same end of its own interval.
overall_ranking rank_overall(const std::vector<stored_result>& results, const std::vector<ranking>& rankings);

}  // namespace launchbox
