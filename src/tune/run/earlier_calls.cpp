// SPDX-License-Identifier: Apache-2.0
#include "tune/run/earlier_calls.hpp"

#include <optional>
#include <string>
#include <utility>

namespace launchbox {

earlier_calls::earlier_calls(const tune_spec& spec, const search_space& space,
                             const std::vector<std::size_t>& workloads, const result_store& store, std::int64_t run)
    : spec_(spec), space_(space), workloads_(workloads)
{
    for (stored_result& result : store.results(run)) {
        const bool is_baseline = spec.baseline && result.parameters == *spec.baseline;
        const bool is_final = result.measured.status != outcome::device_lost;
        if (!is_final || (is_baseline && result.measured.status != outcome::measured)) continue;
        for (const job_key& job : jobs_of(result)) known_.insert_or_assign(job, result.measured);
        results_.push_back(std::move(result));
    }
    for (const attempt& earlier : store.attempts(run))
        for (const job_key& job : jobs_of(earlier.parameters, earlier.workload)) deaths_[job] = earlier.deaths;
}

std::vector<job_key> earlier_calls::jobs_of(const assignment& parameters, const assignment& workload) const
{
    std::vector<job_key> jobs;
    const std::optional<std::size_t> candidate = space_.find(parameters);
    if (!candidate) return jobs;
    const std::string text = identity_of(workload);
    for (const std::size_t one : workloads_)
        if (identity_of(spec_.workloads[one].values) == text) jobs.push_back({*candidate, one});
    return jobs;
}

const measurement* earlier_calls::find(const job_key& job) const
{
    const auto found = known_.find(job);
    return found == known_.end() ? nullptr : &found->second;
}

int earlier_calls::deaths(const job_key& job) const
{
    const auto found = deaths_.find(job);
    return found == deaths_.end() ? 0 : found->second;
}

}  // namespace launchbox
