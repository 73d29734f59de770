// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/replay_backend.hpp"

#include <memory>
#include <unordered_map>

namespace launchbox {

namespace {

// Files and specs may list the values in a different order.
std::string key_of(const assignment& parameters, const assignment& workload)
{
    return identity_of(parameters) + "/" + identity_of(workload);
}

}  // namespace

tune_backend replay_backend(const tune_spec& spec, const recorded_run& run)
{
    const run_info& recorded = run.info;
    const std::vector<stored_result>& results = run.results;
    const auto known = std::make_shared<std::unordered_map<std::string, stored_result>>();
    for (const stored_result& result : results)
        known->insert_or_assign(key_of(result.parameters, result.workload), result);
    const auto find = [known, &spec](const tune_job& job) {
        const auto found = known->find(key_of(job.parameters, spec.workloads[job.workload].values));
        return found == known->end() ? nullptr : &found->second;
    };

    tune_backend backend;
    backend.environment = recorded.environment;
    backend.label = machine_of(recorded.environment) + ", as recorded";
    backend.source_hash = recorded.source_hash;
    backend.prepare = [find](const tune_job& job) -> prepared_job {
        const stored_result* result = find(job);
        if (result == nullptr)
            return {.build = {.status = build_status::rejected, .reason = "it is not in the record"}};
        // Candidates that shared a time share it again.
        const build_status status = build_status_of(result->measured.status);
        return {.build = {.status = status,
                          .reason = status == build_status::built ? std::string() : result->measured.reason,
                          .kernel = result->kernel,
                          .code = result->code,
                          .log = result->log,
                          .compile_seconds = result->compile_seconds,
                          .from_cache = true},
                .same_when_equal = parameter_text(result->same_as ? *result->same_as : result->parameters),
                .work = result->work};
    };
    backend.measurers.push_back(
        [find](const tune_job& job, const prepared_job&, const measure_request&) { return find(job)->measured; });
    backend.recorded = true;
    backend.races = run.races;
    backend.needs_reference = false;
    return backend;
}

}  // namespace launchbox
