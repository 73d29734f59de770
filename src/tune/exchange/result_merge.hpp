// Runs of several stores in one: nothing is lost, and nothing is mixed that does not belong together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/store/result_store.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

struct kept_run {
    std::string run;  ///< "run 1 of b.db"
    std::string why;  ///< "has other times of threads=64 items=3"
};

struct merge_summary {
    std::size_t runs = 0;              ///< in the store now
    std::size_t joined = 0;            ///< runs that went on one that was there
    std::size_t results = 0;           ///< written
    std::size_t repeated = 0;          ///< the same result was there already
    std::vector<kept_run> kept_apart;  ///< runs that contradict one with the same task, sources and environment
};

/// A run whose task, sources and environment are those of an earlier one of `runs` joins it, unless the two contradict
/// each other, as where both have measured the same candidate on the same workload: then it is kept as a run of its
/// own, which `tune` does not continue. Races of both are kept; `rank` decides which of them holds for all results.
/// Calls are written in their order, so that the store numbers the latest last. `from`: the file of each run.
merge_summary merge_runs(result_store& into, const std::vector<recorded_run>& runs,
                         const std::vector<std::string>& from);

}  // namespace launchbox
