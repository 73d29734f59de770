// SPDX-License-Identifier: Apache-2.0
#include "tune/run/result_sink.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "support/sample_statistics.hpp"

namespace launchbox {

namespace {

std::string now_as_text()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

void result_sink::take_over(const stored_result& result)
{
    const measurement& measured = result.measured;
    if (measured.status != outcome::measured || measured.samples_ns.empty()) return;
    const std::optional<double> cost = spec_.goal.cost_if_allowed(measured);
    const double median = summarise(result.measured.samples_ns).median;
    for (std::size_t workload = 0; workload < workloads_.size(); ++workload) {
        if (spec_.workloads[workload].values != result.workload) continue;
        workload_state& state = workloads_[workload];
        if (spec_.baseline && result.parameters == *spec_.baseline) state.baseline_ns = median;
        if (cost && (state.best_ns == 0 || *cost < state.best_cost)) {
            state.best_ns = median;
            state.best_cost = *cost;
            state.best = result.parameters;
        }
        const std::optional<sample_summary> energy = quantity_of(measured, energy_quantity);
        if (cost && energy && (state.min_joules == 0 || energy->median < state.min_joules))
            state.min_joules = energy->median;
        last_ = &state;
    }
}

stored_result result_sink::save(const queued_job& job, measurement measured, const stored_result* shared_with,
                                int deaths)
{
    const prepared_job& prepared = job.prepared;
    const workload& on = spec_.workloads[job.job.workload];
    stored_result result{.run = summary.run,
                         .parameters = job.job.parameters,
                         .workload = on.values,
                         .weight = on.weight,
                         .work = on.work.any() ? on.work : prepared.work,
                         .measured = std::move(measured),
                         .kernel = prepared.build.kernel,
                         .code = prepared.build.code,
                         .same_as = shared_with == nullptr ? std::nullopt : std::optional(shared_with->parameters),
                         .log = prepared.build.log,
                         .compile_seconds = prepared.build.compile_seconds,
                         .from_cache = prepared.build.from_cache,
                         .deaths = deaths,
                         .finished = now_as_text()};
    store_.save(result);
    ++summary.outcomes[result.measured.status];
    if (result.measured.status != outcome::measured && summary.first_failure.empty())
        summary.first_failure = fmt::format("{}: {}", words_of(result.measured.status), result.measured.reason);
    if (backend_.recorded) charge(result);
    if (shared_with != nullptr) ++summary.shared;
    if (job.stage == job_stage::preparing) ++summary.settled_unmeasured;
    take_over(result);
    if (shared_with == nullptr) remember_code(job, result);
    return result;
}

// For a replay: a compile that served several workloads is charged once, and samples shared with another candidate
// once.
void result_sink::charge(const stored_result& result)
{
    if (charged_.insert(parameter_text(result.parameters) + fmt::format(" {}", result.compile_seconds)).second)
        summary.recorded_seconds += result.compile_seconds;
    if (!result.same_as) summary.recorded_seconds += result.measured.seconds;
}

void result_sink::remember_code(const queued_job& job, const stored_result& result)
{
    if (job.stage != job_stage::measuring || job.prepared.same_when_equal.empty()) return;
    if (result.measured.status == outcome::device_lost || result.measured.status == outcome::worker_died) return;
    workloads_[job.job.workload].by_code.insert_or_assign(job.prepared.same_when_equal, result);
}

void result_sink::save_build(const queued_job& job)
{
    const prepared_job& prepared = job.prepared;
    ++summary.builds[prepared.build.status];
    ++summary.settled_unmeasured;
    builds_.emplace(job.position, built_candidate{.parameters = job.job.parameters,
                                                  .workload = spec_.workloads[job.job.workload].values,
                                                  .build = prepared.build,
                                                  .launch = prepared.launch,
                                                  .is_baseline = spec_.baseline == job.job.parameters});
}

void result_sink::finish_builds()
{
    for (auto& [position, build] : builds_) summary.built.push_back(std::move(build));
    builds_.clear();
}

const stored_result* result_sink::measured_before(const queued_job& job) const
{
    if (job.prepared.same_when_equal.empty()) return nullptr;
    const auto& by_code = workloads_[job.job.workload].by_code;
    const auto found = by_code.find(job.prepared.same_when_equal);
    return found == by_code.end() ? nullptr : &found->second;
}

// If the time decides, a much longer time rules a candidate out. If the energy decides, only a time in which the idle
// GPU would use more than the best does; the measurer knows that. For other quantities, times rule nothing out.
void result_sink::add_best(std::size_t workload, measure_request& request) const
{
    const workload_state& state = workloads_[workload];
    if (spec_.goal.is_time()) request.best_ns = state.best_ns;
    if (spec_.goal.is_bounded_by_idle_power()) request.best_joules = state.min_joules;
}

void result_sink::show_best(tune_progress& shown) const
{
    if (last_ == nullptr) return;
    shown.best_ns = last_->best_ns;
    shown.baseline_ns = last_->baseline_ns;
    shown.best = parameter_text(last_->best);
    shown.best_rates =
        per_second(spec_.workloads[static_cast<std::size_t>(last_ - workloads_.data())].work, last_->best_ns);
}

}  // namespace launchbox
