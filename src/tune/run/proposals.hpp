// Which jobs a run still has to do: what its strategy proposes, less what is known already; and what the strategy is
// told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/search/search_strategy.hpp"

namespace launchbox {

/// Not for two threads at once.
class proposals {
public:
    /// What is known of a candidate on a workload; null: nothing.
    using known_results = std::function<const measurement*(const job_key& job)>;

    proposals(const tune_spec& spec, const search_space& space, std::vector<std::size_t> workloads,
              std::unique_ptr<search_strategy> strategy, known_results known);

    /// The jobs of the next candidate of which something is not known. Empty: every candidate has been proposed.
    std::vector<tune_job> next();

    /// What became of a job of `next`. The strategy is told when all jobs of the candidate are settled: of the cost
    /// by the objective, or with several workloads of the weighted geometric mean of its ratios to the first that was
    /// measured. A candidate that is not allowed has failed.
    void settle(const tune_job& job, const measurement& result);
    /// The same of a job that was built, and is not to be measured.
    void settle_unmeasured(const tune_job& job);

    /// Candidates with a job that is not settled.
    [[nodiscard]] std::size_t open() const { return open_.size(); }
    [[nodiscard]] bool is_open(std::size_t candidate) const { return open_.contains(candidate); }
    /// Candidates that were proposed, those that were known included.
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
