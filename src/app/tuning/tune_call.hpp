// One call of tune: a run on each backend, side by side or one after the other, into one store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/tuning/backends.hpp"
#include "report/tune/build_report.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/run/tune_run.hpp"

namespace launchbox {

struct tune_request {
    tune_spec spec;
    std::string store;                    ///< the file of results; it may be there
    bool resume = false;                  ///< it has to be there
    std::vector<std::string> warm_start;  ///< files whose best candidates are tried first
    /// The only candidates measured on a backend, beside the baseline; empty: all.
    std::function<std::vector<assignment>(const tune_backend&)> only = {};
    backend_request backends;
    backend_planner plan = plan_backends;
    tune_options how;              ///< without workloads: all of the spec's
    std::string command, version;  ///< that are recorded
};

class tune_call;

/// Receives the progress of a call. All calls come from one thread, except those of the functions that `watch` returns.
struct tune_listener {
    using progress = std::function<void(std::size_t backend, const std::string& label, const tune_progress& now)>;

    listener news = {};
    std::function<void(const tune_call&, const tune_backend&, const search_space&)> begun = [](const auto&, const auto&,
                                                                                               const auto&) {};
    /// Called when this number of backends begins to work at once, until the returned object is destroyed.
    std::function<progress(const std::string& name, std::size_t backends)> watch = [](const auto&, std::size_t) {
        return [](std::size_t, const auto&, const auto&) {};
    };
    /// `starting_seconds`: from the start of the call to the start of the first work.
    std::function<void(const tune_call&, const tune_backend&, const tune_summary&, double starting_seconds)> ended =
        [](const auto&, const auto&, const auto&, double) {};
};

struct tune_result {
    exit_status status = exit_status::done;
    std::vector<std::int64_t> runs;   ///< their numbers in the store
    std::vector<build_report> built;  ///< of backends that measure nothing, in the order of `runs`
    std::string first_failure;        ///< of a candidate
};

class tune_call {
public:
    /// Plans, and checks all that can be checked before anything is built. Throws `error` for a mistake.
    tune_call(tune_request request, tune_listener follow);

    [[nodiscard]] const tune_spec& spec() const { return request_.spec; }
    [[nodiscard]] const std::vector<planned_backend>& backends() const { return planned_.backends; }
    [[nodiscard]] const std::vector<search_space>& spaces() const { return spaces_; }  ///< of each backend

    /// Whether only some candidates are measured (`only` of the request).
    [[nodiscard]] bool is_partial() const { return static_cast<bool>(request_.only); }
    /// Whether results are stored. Not for a replayed record, nor for a call that only builds.
    [[nodiscard]] bool keeps_results() const { return keeps_; }
    [[nodiscard]] const std::string& store() const { return file_; }

    tune_result run();

    /// The runs of this call, ranked, each workload in the order of the spec.
    [[nodiscard]] results_report results_of(const tune_result& result) const;

private:
    [[nodiscard]] std::vector<std::size_t> only_on(std::size_t place) const;
    [[nodiscard]] tune_options how_on(std::size_t place) const;
    void run_one_after_the_other();
    void run_together();
    tune_summary measure(std::size_t place, const tune_options& how, result_store& store,
                         const tune_listener::progress& progress) const;
    void note(const tune_summary& summary, const tune_backend& backend);

    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    tune_request request_;
    const tune_listener follow_;
    const temporary_directory folder_;
    bool keeps_;
    std::string file_;
    std::vector<assignment> warm_;
    planned_backends planned_;
    std::vector<search_space> spaces_;
    std::vector<std::vector<std::size_t>> only_;  // of each backend, where not all are measured
    tune_result result_;
    double starting_seconds_ = 0;
};

}  // namespace launchbox
