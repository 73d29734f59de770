// SPDX-License-Identifier: Apache-2.0
#include "tune/run/reference_tracker.hpp"

namespace launchbox {

void reference_tracker::set_known(queued_job& job)
{
    set(job);
    states_[job.job.workload].is_known = true;
}

bool reference_tracker::is_irreplaceable(const queued_job& job) const
{
    return needed_ && is_reference(job) && states_[job.job.workload].is_baseline;
}

const queued_job* reference_tracker::in_work(std::size_t workload) const
{
    const state& known = states_[workload];
    return known.is_baseline && known.job != nullptr && known.job->stage == job_stage::measuring ? known.job : nullptr;
}

bool reference_tracker::may_be_measured(const queued_job& job, const job_queue& jobs) const
{
    const state& known = states_[job.job.workload];
    if (!needed_ || known.has_outputs || known.job == &job) return true;
    // Without a baseline, the first candidate in order that can be measured is the reference, so it waits until all
    // before it are settled.
    return !known.is_baseline && known.job == nullptr && jobs.is_first_unsettled(job);
}

void reference_tracker::begin(queued_job& job)
{
    state& known = states_[job.job.workload];
    if (needed_ && !known.has_outputs && known.job == nullptr) known.job = &job;
}

void reference_tracker::end(const queued_job& job, bool is_measured)
{
    if (!is_reference(job)) return;
    state& known = states_[job.job.workload];
    known.has_outputs = is_measured;
    if (!is_measured && !known.is_baseline) known.job = nullptr;
}

queued_job* reference_tracker::to_be_repeated(const std::vector<std::size_t>& workloads) const
{
    if (!needed_) return nullptr;
    for (const std::size_t workload : workloads) {
        const state& known = states_[workload];
        if (known.is_known && !known.has_outputs && known.job->stage == job_stage::settled) return known.job;
    }
    return nullptr;
}

}  // namespace launchbox
