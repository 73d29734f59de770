// Measures several programs against each other in turns, so that anything that changes on the machine meanwhile affects
// all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace launchbox {

/// One program in a race.
struct contestant {
    std::vector<std::string> command;
    std::vector<std::string> environment;  ///< NAME=value, added to ours
};

struct race_options {
    int runs = 9;             ///< of each; from 6 on an interval can be narrower than the extremes
    double time_limit = 300;  ///< seconds for one run; then it has failed
};

/// The result of one contestant.
struct race_result {
    std::vector<double> times_ns;  ///< one a run: the median of what that run printed
    std::string failure = {};      ///< why it was taken out of the race, in one line; then `times_ns` is what it had
};

/// Runs all programs once to warm up, without counting, then `runs` rounds, each of which begins with another
/// contestant. A program that fails, hangs or prints no time is removed and reported; the others go on. After an
/// interrupt, returns the results so far. `progress` is called after each run.
std::vector<race_result> run_race(const std::vector<contestant>& contestants, const race_options& options,
                                  const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace launchbox
