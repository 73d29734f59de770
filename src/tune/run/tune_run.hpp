// A tuning run on one backend: prepares, measures and stores what is not known yet, then races the best candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/run/final_race.hpp"
#include "tune/space/search_space.hpp"
#include "tune/store/result_store.hpp"
#include "tune/types/built_candidate.hpp"

namespace launchbox {

struct tune_options {
    std::vector<std::size_t> workloads;              ///< indices into the spec's; those that are to be measured
    std::optional<double> max_seconds = {};          ///< no new measurement after this; recorded time in a replay
    std::optional<std::size_t> max_candidates = {};  ///< measured in this call; rejected ones do not count
    std::string strategy = "random";                 ///< a strategy of search_strategy.hpp
    std::uint64_t seed = 1;                          ///< of the strategy
    std::vector<std::size_t> first = {};             ///< candidates that are tried first, behind the baseline
    race_rules race = {};
};

/// The display during a run.
struct tune_progress {
    std::size_t done = 0, total = 0;  ///< jobs (candidates x workloads), or candidates of a budget
    double best_ns = 0;               ///< of the workload that was measured last; 0: none
    double baseline_ns = 0;
    std::string best = {};  ///< its parameters
    work_amounts best_rates = {};
    std::string doing = {};  ///< "measuring", "final race"
    double seconds_left = 0;
    double seconds = 0;                       ///< since the start
    std::vector<device_record> devices = {};  ///< what each has done so far
};

/// The cost and outcome of a run, beyond what is in the store.
struct tune_summary {
    std::int64_t run = 0;
    std::size_t jobs = 0, known_before = 0, measured = 0, shared = 0, settled_unmeasured = 0;
    std::map<outcome, std::size_t> outcomes;     ///< of this call
    std::map<build_status, std::size_t> builds;  ///< the same of a backend that measures nothing
    double seconds = 0;
    double race_seconds = 0;       ///< of `seconds`: the final race
    double measuring_seconds = 0;  ///< wall time inside measurements before the race, all measurers together
    phase_seconds phases = {};     ///< of it, as far as measurers tell
    double sample_seconds = 0;     ///< of it the samples themselves
    double compile_seconds = 0;    ///< of what was compiled in this call
    double recorded_seconds = 0;   ///< in a replay: what compiling and measuring took then, one after the other
    std::size_t worker_deaths = 0;
    bool interrupted = false, out_of_budget = false;
    std::vector<built_candidate> built;       ///< of a backend that measures nothing
    std::string device_lost = {};             ///< why measuring ended early; empty: it did not
    std::vector<device_record> devices = {};  ///< all measurers, the lost ones too
    std::size_t left = 0;                     ///< jobs for which the machine lacked something: the next call does them
    std::string machine_failure = {};         ///< what it lacked the first time
    std::vector<std::string> warnings = {};   ///< about references that can not tell right from wrong, each once
    std::string first_failure = {};           ///< of a candidate in this call, with its reason
};

/// Results go to the store one by one; stored results of the same task, sources and environment are not measured again.
/// Throws `error` if the reference (the baseline) cannot be measured, since nothing else can be judged then. `progress`
/// is called from one thread, a few times a second.
tune_summary run_tune(const tune_spec& spec, const search_space& space, const tune_backend& backend,
                      result_store& store, const run_info& run, const tune_options& options,
                      const std::function<void(const tune_progress&)>& progress = {});

}  // namespace launchbox
