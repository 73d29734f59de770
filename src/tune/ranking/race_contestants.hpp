// Who takes part in a final race: the candidates that may be the best, as far as their samples tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "support/sample_statistics.hpp"

namespace launchbox {

struct race_rules {
    std::size_t max_contestants = 8;
    double margin = 0.02;   ///< a median so much above the best may still be the better candidate
    int fewest_rounds = 6;  ///< an interval needs 6
    int max_rounds = 25;
    double close_enough = 0.005;  ///< what cannot differ by more is equal
};

/// Of results on one workload those that may be the best: whose interval meets that of the lowest median, or whose
/// median is within the margin. Their places, the best first; without samples: it was not measured.
std::vector<std::size_t> race_contestants(const std::vector<sample_summary>& times, const race_rules& rules);

}  // namespace launchbox
