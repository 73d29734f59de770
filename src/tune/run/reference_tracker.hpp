// The result that other candidates are compared with on each workload: the baseline, or else the first candidate that
// can be measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tune/run/job_queue.hpp"

namespace launchbox {

class reference_tracker {
public:
    /// `needed`: nothing else can be measured before the reference.
    reference_tracker(std::size_t workloads, bool needed) : states_(workloads), needed_(needed) {}

    /// The reference is the baseline, and no other candidate can replace it.
    void expect_baseline(std::size_t workload) { states_[workload].is_baseline = true; }
    /// Sets the reference of its workload.
    void set(queued_job& job) { states_[job.job.workload].job = &job; }
    /// The same for a reference that an earlier call measured: only its outputs are missing.
    void set_known(queued_job& job);

    /// The reference, once its time and, if needed, its outputs are known; null: not yet.
    [[nodiscard]] const queued_job* measured(std::size_t workload) const
    {
        const state& known = states_[workload];
        return known.has_outputs || (known.is_known && !needed_) ? known.job : nullptr;
    }
    /// The baseline while a device measures it: the others will be compared with it unless it fails. Null: not being
    /// measured.
    [[nodiscard]] const queued_job* in_work(std::size_t workload) const;
    [[nodiscard]] bool has(std::size_t workload) const { return states_[workload].job != nullptr; }
    [[nodiscard]] bool is_reference(const queued_job& job) const { return states_[job.job.workload].job == &job; }
    /// Whether this is the reference and no other candidate can be it.
    [[nodiscard]] bool is_irreplaceable(const queued_job& job) const;

    [[nodiscard]] bool may_be_measured(const queued_job& job, const job_queue& jobs) const;
    /// Before a job is measured: without a reference it becomes the reference.
    void begin(queued_job& job);
    /// After it.
    void end(const queued_job& job, bool is_measured);

    /// A reference of an earlier call whose outputs are needed and that no device is measuring; null: none.
    [[nodiscard]] queued_job* to_be_repeated(const std::vector<std::size_t>& workloads) const;
    void repeated(const queued_job& job) { states_[job.job.workload].has_outputs = true; }

private:
    struct state {
        queued_job* job = nullptr;
        bool is_baseline = false, is_known = false, has_outputs = false;
    };
    std::vector<state> states_;  // by workload
    bool needed_;
};

}  // namespace launchbox
