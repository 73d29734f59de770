// Which of the best candidates is the best: they are timed again, in turns, until noise no longer decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tune/ranking/race_contestants.hpp"

namespace launchbox {

struct race_outcome {
    /// The winner first, then by median; those that fell out behind.
    std::vector<std::size_t> order;
    std::vector<std::vector<double>> rounds_ns;  ///< by contestant: the median of each round
    bool equal = false;                          ///< the first is not separated from the second
    double equal_within = 0;                     ///< with `equal`: the most by which the others may be better or worse
};

/// `time(i)`: measures contestant i once more and returns the median of its samples in ns, or nothing when it fails or
/// the run is to stop. Of those that stay equal the baseline wins, if it is one of them; else the lowest median.
race_outcome run_final_race(std::size_t contestants, std::optional<std::size_t> baseline, const race_rules& rules,
                            const std::function<std::optional<double>(std::size_t)>& time);

}  // namespace launchbox
