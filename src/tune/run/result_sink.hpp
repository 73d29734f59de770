// Passes a run's results on: to the store, to the run's summary, and to later jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tune/run/job_queue.hpp"
#include "tune/run/tune_run.hpp"

namespace launchbox {

/// Not thread-safe.
class result_sink {
public:
    result_sink(const tune_spec& spec, const tune_backend& backend, result_store& store, std::int64_t run)
        : spec_(spec), backend_(backend), store_(store), workloads_(spec.workloads.size())
    {
        summary.run = run;
    }

    tune_summary summary;

    /// A result of an earlier call, which is in the store already.
    void take_over(const stored_result& result);

    /// `shared_with`: the result whose samples these are; null: its own samples.
    stored_result save(const queued_job& job, measurement measured, const stored_result* shared_with, int deaths);
    /// For a backend that measures nothing.
    void save_build(const queued_job& job);
    /// Moves what `save_build` received to the summary, in the order of the queue.
    void finish_builds();

    /// The result of the same code with the same launch on this workload; null: it was not measured.
    [[nodiscard]] const stored_result* measured_before(const queued_job& job) const;
    /// Adds to a request the best of the workload so far (time, energy), if known.
    void add_best(std::size_t workload, measure_request& request) const;
    /// Fills in the best of the workload that was measured last.
    void show_best(tune_progress& shown) const;

private:
    struct workload_state {
        double best_ns = 0, best_cost = 0, baseline_ns = 0;  // 0: none
        double min_joules = 0;                               // of those that are allowed; 0: none
        assignment best;
        std::unordered_map<std::string, stored_result> by_code;
    };
    void charge(const stored_result& result);
    void remember_code(const queued_job& job, const stored_result& result);

    const tune_spec& spec_;
    const tune_backend& backend_;
    result_store& store_;
    std::vector<workload_state> workloads_;
    const workload_state* last_ = nullptr;
    std::set<std::string> charged_;
    std::map<std::size_t, built_candidate> builds_;  // by position in the queue
};

}  // namespace launchbox
