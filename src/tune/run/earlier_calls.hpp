// The results of earlier calls of this run in the store, and workers that died of a job.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tune/run/job_key.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {

class earlier_calls {
public:
    earlier_calls(const tune_spec& spec, const search_space& space, const std::vector<std::size_t>& workloads,
                  const result_store& store, std::int64_t run);

    /// Results that need not be measured again. A failed baseline ended its run and is not among them: it is tried
    /// again, since otherwise every later call would end the same way.
    [[nodiscard]] const std::vector<stored_result>& results() const { return results_; }
    /// The candidate and workload of this result; empty: none of this space and these workloads. A size may be 1000000
    /// in the store and 1e6 in the spec: it is the same workload.
    [[nodiscard]] std::vector<job_key> jobs_of(const stored_result& result) const
    {
        return jobs_of(result.parameters, result.workload);
    }

    /// Null: not measured.
    [[nodiscard]] const measurement* find(const job_key& job) const;
    /// Of workers.
    [[nodiscard]] int deaths(const job_key& job) const;

private:
    [[nodiscard]] std::vector<job_key> jobs_of(const assignment& parameters, const assignment& workload) const;

    const tune_spec& spec_;
    const search_space& space_;
    const std::vector<std::size_t>& workloads_;
    std::vector<stored_result> results_;
    std::map<job_key, measurement> known_;
    std::map<job_key, int> deaths_;
};

}  // namespace launchbox
