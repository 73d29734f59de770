// The candidates of a final race: those that may be the best according to their samples.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tune/ranking/tie_rule.hpp"

namespace launchbox {

struct race_rules {
    std::size_t max_contestants = 8;
    double margin = 0.02;   ///< a median so much above the best may still be the better candidate
    int fewest_rounds = 6;  ///< an interval needs 6
    int max_rounds = 25;
};

/// From the results on one workload, the indices of those that may be the best, best first: their interval meets that
/// of the lowest median, or their median is within the margin. Without samples a result was not measured. If there is
/// no room for all, takes the faster half, and from the others those that the tie rule prefers; so the next call, in
/// which noise puts others ahead, still has the candidate to be used.
std::vector<std::size_t> race_contestants(const std::vector<tied_candidate>& all, const race_rules& rules);

}  // namespace launchbox
