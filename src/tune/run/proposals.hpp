// The remaining jobs of a run: the strategy's proposals without the known results; and reports results to the strategy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/search/search_strategy.hpp"

namespace launchbox {

/// Not thread-safe.
class proposals {
public:
    /// The known result of a candidate on a workload; null: none.
    using known_results = std::function<const measurement*(const job_key& job)>;

    proposals(const tune_spec& spec, const search_space& space, std::vector<std::size_t> workloads,
              std::unique_ptr<search_strategy> strategy, known_results known);

    /// The jobs of the next candidate with an unknown result. Empty: every candidate has been proposed.
    std::vector<tune_job> next();

    /// Reports the result of a job of `next`. The strategy is told when all jobs of the candidate are settled: the cost
    /// by the objective or, with several workloads, the weighted geometric mean of its ratios to the first measured
    /// candidate. A candidate that is not allowed counts as failed.
    void settle(const tune_job& job, const measurement& result);
    /// The same for a job that was built and will not be measured.
    void settle_unmeasured(const tune_job& job);

    /// Candidates with an unsettled job.
    [[nodiscard]] std::size_t open() const { return open_.size(); }
    [[nodiscard]] bool is_open(std::size_t candidate) const { return open_.contains(candidate); }
    /// Candidates that were proposed, including those with known results.
    [[nodiscard]] std::size_t proposed() const { return proposed_; }
    [[nodiscard]] bool exhausted() const { return proposed_ == space_.size(); }

private:
    struct candidate_state {
        std::size_t unsettled = 0;
        bool failed = false;
        std::vector<double> cost;  // of the objective, by place in `workloads_`
    };
    void note(candidate_state& state, std::size_t workload, const measurement& result);
    void tell(std::size_t candidate, const candidate_state& state);

    const tune_spec& spec_;
    const search_space& space_;
    const std::vector<std::size_t> workloads_;
    const std::unique_ptr<search_strategy> strategy_;
    const known_results known_;
    std::unordered_map<std::size_t, candidate_state> open_;
    std::vector<double> reference_;  // by place in `workloads_`; 0: not known yet
    std::size_t proposed_ = 0;
};

}  // namespace launchbox
