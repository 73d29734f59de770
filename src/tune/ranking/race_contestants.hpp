// Who takes part in a final race: the candidates that may be the best, as far as their samples tell.
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

/// Of results on one workload those that may be the best: whose interval meets that of the lowest median, or whose
/// median is within the margin. Their places, the best first; without samples: it was not measured. If there is no room
/// for all, the faster half is taken, and of the others those that the tie rule would choose: so that the next call, in
/// which others are ahead by chance, still has the one that is to be used.
std::vector<std::size_t> race_contestants(const std::vector<tied_candidate>& all, const race_rules& rules);

}  // namespace launchbox
