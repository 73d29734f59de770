// Runs of several stores in one: nothing is lost, and nothing is mixed that does not belong together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/store/result_store.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

struct merge_summary {
    std::size_t runs = 0;                 ///< in the store now
    std::size_t joined = 0;               ///< runs that went on one that was there
    std::size_t results = 0;              ///< written
    std::size_t repeated = 0;             ///< the same result was there already
    std::vector<std::string> kept_apart;  ///< runs that contradict one with the same task, sources and environment
};

/// In the order of `runs`. A run whose task, sources and environment are those of an earlier one joins it, unless both
/// have measured the same candidate on the same workload, or raced on it, and say different things: then it is kept as
/// a run of its own, which `tune` does not continue. `from`: the file of each run, for `kept_apart`.
merge_summary merge_runs(result_store& into, const std::vector<recorded_run>& runs,
                         const std::vector<std::string>& from);

}  // namespace launchbox
