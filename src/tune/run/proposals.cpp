// SPDX-License-Identifier: Apache-2.0
#include "tune/run/proposals.hpp"

#include <algorithm>
#include <cmath>

namespace launchbox {

proposals::proposals(const tune_spec& spec, const search_space& space, std::vector<std::size_t> workloads,
                     std::unique_ptr<search_strategy> strategy, known_results known)
    : spec_(spec),
      space_(space),
      workloads_(std::move(workloads)),
      strategy_(std::move(strategy)),
      known_(std::move(known)),
      reference_(workloads_.size())
{
}

std::vector<tune_job> proposals::next()
{
    while (const std::optional<std::size_t> candidate = strategy_->ask()) {
        ++proposed_;
        const assignment parameters = space_.at(*candidate);
        std::vector<tune_job> jobs;
        candidate_state state{.unsettled = 0, .failed = false, .cost = std::vector<double>(workloads_.size())};
        for (const std::size_t workload : workloads_) {
            if (const measurement* known = known_({.candidate = *candidate, .workload = workload}))
                note(state, workload, *known);
            else
                jobs.push_back({.candidate = *candidate, .workload = workload, .parameters = parameters});
        }
        state.unsettled = jobs.size();
        if (jobs.empty()) {
            tell(*candidate, state);
            continue;
        }
        open_.emplace(*candidate, std::move(state));
        return jobs;
    }
    return {};
}

void proposals::settle(const tune_job& job, const measurement& result)
{
    const auto found = open_.find(job.candidate);
    if (found == open_.end()) return;
    note(found->second, job.workload, result);
    if (--found->second.unsettled > 0) return;
    tell(job.candidate, found->second);
    open_.erase(found);
}

void proposals::settle_unmeasured(const tune_job& job)
{
    settle(job, {.status = outcome::rejected, .reason = "nothing is measured"});
}

void proposals::note(candidate_state& state, std::size_t workload, const measurement& result)
{
    const std::optional<double> cost = spec_.goal.cost_if_allowed(result);
    if (!cost) {
        state.failed = true;
        return;
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(workloads_, workload) - workloads_.begin());
    // A coarse clock returns 0, which has no logarithm.
    state.cost[place] = spec_.goal.is_time() ? std::max(*cost, 1e-3) : *cost;
    if (reference_[place] == 0) reference_[place] = state.cost[place];
}

void proposals::tell(std::size_t candidate, const candidate_state& state)
{
    if (state.failed) {
        strategy_->tell(candidate, std::nullopt);
        return;
    }
    if (workloads_.size() == 1) {
        strategy_->tell(candidate, state.cost.front());
        return;
    }
    double sum = 0, weights = 0;
    for (std::size_t place = 0; place < workloads_.size(); ++place) {
        const double weight = spec_.workloads[workloads_[place]].weight;
        sum += weight * std::log(state.cost[place] / reference_[place]);
        weights += weight;
    }
    strategy_->tell(candidate, std::exp(sum / weights));
}

}  // namespace launchbox
