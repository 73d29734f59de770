// SPDX-License-Identifier: Apache-2.0
#include "tune/run/job_queue.hpp"

#include <algorithm>
#include <utility>

namespace launchbox {

queued_job& job_queue::add(tune_job job)
{
    ++unsettled_;
    return jobs_.emplace_back(queued_job{.position = jobs_.size(), .job = std::move(job)});
}

queued_job& job_queue::add_settled(tune_job job)
{
    return jobs_.emplace_back(queued_job{.position = jobs_.size(), .job = std::move(job), .stage = job_stage::settled});
}

bool job_queue::has_waiting()
{
    while (next_to_prepare_ < jobs_.size() && jobs_[next_to_prepare_].stage != job_stage::waiting) ++next_to_prepare_;
    return next_to_prepare_ < jobs_.size();
}

queued_job& job_queue::start_preparing()
{
    queued_job& job = jobs_.at(next_to_prepare_++);
    job.stage = job_stage::preparing;
    ++prepared_ahead_;
    return job;
}

void job_queue::set_ready(queued_job& job)
{
    job.stage = job_stage::ready;
    ready_.push_back(&job);
}

queued_job* job_queue::oldest_ready(const std::function<bool(const queued_job&)>& may_be_measured)
{
    std::erase_if(ready_, [](const queued_job* job) { return job->stage != job_stage::ready; });
    const auto found = std::ranges::find_if(ready_, [&](const queued_job* job) { return may_be_measured(*job); });
    return found == ready_.end() ? nullptr : *found;
}

bool job_queue::is_first_unsettled(const queued_job& job) const
{
    for (std::size_t position = 0; position < job.position; ++position) {
        const queued_job& earlier = jobs_[position];
        if (earlier.job.workload == job.job.workload && earlier.stage != job_stage::settled) return false;
    }
    return true;
}

void job_queue::settle(queued_job& job)
{
    job.prepared = {.same_when_equal = std::move(job.prepared.same_when_equal)};
    job.stage = job_stage::settled;
    ++settled_;
    --unsettled_;
    --prepared_ahead_;
}

}  // namespace launchbox
