// Decides which of the best candidates is the best: times them again, in turns, until noise no longer decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tune/ranking/race_contestants.hpp"

namespace launchbox {

struct race_outcome {
    /// By median, fastest first; candidates that dropped out come last. The tie rule chooses among equals.
    std::vector<std::size_t> order;
    std::vector<std::vector<double>> rounds_ns;  ///< by contestant: the median of each round
    bool equal = false;                          ///< the first is not separated from the second
    double equal_within = 0;                     ///< with `equal`: the most by which the others may be better or worse
};

/// Measures a contestant once more on a device and returns the median of its samples in ns, or nothing if it fails or
/// the run must stop. Called by one thread per device.
using race_clock = std::function<std::optional<double>(std::size_t device, std::size_t contestant)>;

/// Runs rounds on all devices at the same time: each times all contestants of its round, so that they are compared on
/// one device. Times of other devices are scaled to the first, by the contestants' times in their first rounds.
race_outcome run_final_race(std::size_t contestants, const race_rules& rules, std::size_t devices,
                            const race_clock& time);

}  // namespace launchbox
