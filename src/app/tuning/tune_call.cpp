// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/tune_call.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "app/tuning/tune_input.hpp"
#include "compiler/run/compile_cache.hpp"
#include "support/process/clock.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/thread_group.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/search/search_strategy.hpp"
#include "tune/space/task_hash.hpp"

namespace launchbox {

namespace {

// Reports that there is nothing to do, before any work.
void refuse_empty(const tune_spec& spec, const search_space& space)
{
    if (space.size() > 0) return;
    std::string strictest;
    std::uint64_t rejections = 0;
    for (const auto& [constraint, count] : space.rejections())
        if (count > rejections) {
            rejections = count;
            strictest = constraint;
        }
    throw error(fmt::format("{}: none of the {:.0f} points of the space satisfies the constraints", spec.file,
                            space.raw_size()),
                strictest.empty() ? "add values, or relax the constraints" : "most are rejected by: " + strictest);
}

void check_baseline(const tune_spec& spec, const search_space& space)
{
    if (!spec.baseline) return;
    if (const std::string why = space.why_not(*spec.baseline); !why.empty())
        throw error(
            fmt::format("{}: the baseline ({}) is not a candidate: {}", spec.file, parameter_text(*spec.baseline), why),
            "change the baseline or the constraint");
}

// Sorts by the order in the spec, whatever was measured first; other workloads of the run follow.
void sort_by_spec(std::vector<ranking>& rankings, const std::vector<workload>& workloads)
{
    std::ranges::stable_sort(rankings, {}, [&](const ranking& one) {
        return std::ranges::find(workloads, one.workload, &workload::values) - workloads.begin();
    });
}

}  // namespace

tune_call::tune_call(tune_request request, tune_listener follow)
    : request_(std::move(request)),
      follow_(std::move(follow)),
      keeps_(request_.backends.replay.empty() && !request_.backends.build_only)
{
    if (request_.resume && !std::filesystem::exists(request_.store))
        throw error("there is no " + request_.store + " to resume",
                    "leave --resume out, or name the file with --store");
    file_ = keeps_ ? request_.store : (folder_.path() / "replay.db").string();
    warm_ = warm_candidates(spec(), request_.warm_start, follow_.news);
    request_.backends.folder = folder_.path();
    if (request_.how.workloads.empty())
        for (std::size_t i = 0; i < spec().workloads.size(); ++i) request_.how.workloads.push_back(i);
    // If there are results already, there may be nothing left to measure.
    request_.backends.opens_early = keeps_ && !std::filesystem::exists(file_);
    planned_ = request_.plan(spec(), request_.backends, follow_.news);
    std::set<std::string> notes;  // several GPUs give the same note
    for (const planned_backend& backend : planned_.backends) {
        spaces_.emplace_back(spec(), backend.limits);
        refuse_empty(spec(), spaces_.back());
        check_baseline(spec(), spaces_.back());
        spaces_.back().check_workload_constraints(spec().workloads);
        if (request_.only) only_.push_back(only_on(spaces_.size() - 1));
        if (backend.backend.check)
            for (const std::string& note : backend.backend.check(spaces_.back()))
                if (notes.insert(note).second) follow_.news.say(note);
    }
}

tune_result tune_call::run()
{
    // Kinds of GPUs run at the same time. Building only, and measuring on the processor, need the machine for
    // themselves.
    const bool together = planned_.backends.size() > 1 && std::ranges::all_of(planned_.backends, [](const auto& each) {
                              return !each.backend.measurers.empty() && !each.backend.alone && !each.backend.recorded;
                          });
    if (together)
        run_together();
    else
        run_one_after_the_other();
    return result_;
}

results_report tune_call::results_of(const tune_result& result) const
{
    results_report report;
    result_file read = read_result_file(file_);
    report.diagnostics = std::move(read.diagnostics);
    for (recorded_run& run : read.runs)
        if (std::ranges::find(result.runs, run.number) != result.runs.end()) {
            const std::string& name = keeps_ ? file_ : request_.backends.replay;  // the file that the user knows
            shown_run& shown = report.runs.emplace_back(shown_run{name, std::move(run), {}});
            shown.rankings = rank(shown.run);
            sort_by_spec(shown.rankings, spec().workloads);
        }
    return report;
}

std::vector<std::size_t> tune_call::only_on(std::size_t place) const
{
    std::vector<std::size_t> only;
    for (const assignment& candidate : request_.only(planned_.backends[place].backend)) {
        const std::optional<std::size_t> found = spaces_[place].find(candidate);
        if (!found)
            throw error(fmt::format("{}: {} is not a candidate: {}", spec().file, parameter_text(candidate),
                                    spaces_[place].why_not(candidate)),
                        "tune again with the spec as it is now");
        only.push_back(*found);
    }
    return only;
}

tune_options tune_call::how_on(std::size_t place) const
{
    tune_options how = request_.how;
    if (request_.only) {
        how.strategy = first_alone;
        how.first = only_[place];
    } else {
        how.first = warm_start_in(spec(), spaces_[place], warm_, follow_.news);
    }
    return how;
}

void tune_call::run_one_after_the_other()
{
    result_store store(file_);
    for (std::size_t i = 0; i < planned_.backends.size(); ++i) {
        if (interrupted()) {
            result_.status = exit_status::interrupted;
            return;
        }
        const tune_backend& backend = planned_.backends[i].backend;
        follow_.begun(*this, backend, spaces_[i]);
        const tune_options how = how_on(i);
        tune_listener::progress progress = follow_.watch(spec().name, 1);
        if (starting_seconds_ == 0) starting_seconds_ = seconds_since(begin_);
        const tune_summary summary = measure(i, how, store, progress);
        progress = nullptr;
        note(summary, backend);
    }
}

// Each kind of GPU has its own search, and all run until the last has ended: a failure on one does not stop the others.
void tune_call::run_together()
{
    {
        const result_store made(file_);
    }  // made by one thread
    std::vector<tune_options> how;
    for (std::size_t i = 0; i < planned_.backends.size(); ++i) {
        follow_.begun(*this, planned_.backends[i].backend, spaces_[i]);
        how.push_back(how_on(i));
    }
    // They share the compilers, so pending builds are given up only when the last search has ended.
    std::atomic<std::size_t> running = planned_.backends.size();
    if (planned_.builder)
        for (planned_backend& planned : planned_.backends)
            planned.backend.give_up_preparing = [&running, give_up = planned.backend.give_up_preparing] {
                if (--running == 0 || interrupted()) give_up();
            };
    starting_seconds_ = seconds_since(begin_);
    std::vector<std::optional<tune_summary>> summaries(planned_.backends.size());
    std::vector<std::exception_ptr> failures(planned_.backends.size());
    tune_listener::progress progress = follow_.watch(spec().name, planned_.backends.size());
    {
        thread_group threads;
        for (std::size_t i = 0; i < planned_.backends.size(); ++i) {
            const auto measure_one = [&, i] {
                try {
                    result_store store(file_);
                    summaries[i] = measure(i, how[i], store, progress);
                } catch (...) {
                    failures[i] = std::current_exception();
                }
            };
            if (!threads.start(measure_one)) measure_one();
        }
    }
    progress = nullptr;
    for (std::size_t i = 0; i < planned_.backends.size(); ++i)
        if (summaries[i]) note(*summaries[i], planned_.backends[i].backend);
    const auto failed = std::ranges::find_if(failures, [](const std::exception_ptr& each) { return each != nullptr; });
    if (failed != failures.end()) std::rethrow_exception(*failed);
}

tune_summary tune_call::measure(std::size_t place, const tune_options& how, result_store& store,
                                const tune_listener::progress& progress) const
{
    const tune_backend& backend = planned_.backends[place].backend;
    const search_space& space = spaces_[place];
    const run_info run{.name = spec().name,
                       .spec_text = spec().text,
                       .spec_hash = key_of({spec().text}),
                       .task_hash = task_hash(spec(), space),
                       .source_hash = backend.source_hash,
                       .command = request_.command,
                       .version = request_.version,
                       .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                       .environment = backend.environment,
                       .baseline = spec().baseline,
                       .objective = spec().goal.text()};
    return run_tune(spec(), space, backend, store, run, how,
                    [&](const tune_progress& now) { progress(place, backend.label, now); });
}

void tune_call::note(const tune_summary& summary, const tune_backend& backend)
{
    result_.runs.push_back(summary.run);
    result_.built.push_back(
        {.name = spec().name, .architecture = backend.environment.architecture, .candidates = summary.built});
    if (result_.first_failure.empty()) result_.first_failure = summary.first_failure;
    follow_.ended(*this, backend, summary, starting_seconds_);
    if (!summary.device_lost.empty() || summary.left > 0) result_.status = exit_status::missing;
    if (summary.interrupted) result_.status = exit_status::interrupted;
}

}  // namespace launchbox
