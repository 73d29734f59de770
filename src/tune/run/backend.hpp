// One kind of device on which candidates are measured, as the engine (tune_run.hpp) uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/expression/parameter_value.hpp"
#include "tune/run/job_key.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/built_candidate.hpp"
#include "tune/types/measurement.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

/// One candidate on one workload.
struct tune_job {
    std::size_t candidate = 0;  ///< its number in the space
    std::size_t workload = 0;   ///< index into the spec's workloads
    assignment parameters;

    [[nodiscard]] job_key key() const { return {.candidate = candidate, .workload = workload}; }
};
constexpr auto fields_of(const tune_job&)
{
    using of = tune_job;
    return std::tuple(field("candidate", &of::candidate), field("workload", &of::workload),
                      field("parameters", &of::parameters));
}

/// A job that can be measured, or is settled without a measurement.
struct prepared_job {
    build_record build = {};                  ///< settled unless it is built
    std::optional<built_launch> launch = {};  ///< for people who look at builds
    std::string same_when_equal = {};  ///< jobs of one workload with the same text have the same time; empty: unknown
    std::string file = {};             ///< the module or program
    std::optional<long> rank_number = {};   ///< prepared on another rank: under which number it is kept there
    std::string folder = {};                ///< of a program: what it was built in, and goes with it
    std::string directory = {};             ///< of a program: where it is run
    std::optional<std::size_t> near = {};   ///< the measurer that has it at hand; others have to get it
    std::shared_ptr<const void> hold = {};  ///< goes when nobody needs the job any more: whoever waits for that
    work_amounts work = {};                 ///< of the workload, as a record has it; the spec's have priority
};
/// What another machine can use of it.
constexpr auto fields_of(const prepared_job&)
{
    using of = prepared_job;
    return std::tuple(field("build", &of::build), field("same_when_equal", &of::same_when_equal),
                      field("work", &of::work));
}

/// How a job is to be measured this time.
struct measure_request {
    double best_ns = 0;         ///< of the best so far on this workload; 0: none
    double best_joules = 0;     ///< the same for the energy
    bool with_energy = false;   ///< energy and power are asked for, too
    int samples = 0;            ///< above 0: exactly so many, without giving up
    bool is_reference = false;  ///< what the others' results are compared with
    bool calibrates = false;    ///< the reference, on another device than the one that measures it, maybe at that time
    bool repeated = false;      ///< timed again and again: its results are compared the first time alone
};
constexpr auto fields_of(const measure_request&)
{
    using of = measure_request;
    return std::tuple(field("best_ns", &of::best_ns), field("best_joules", &of::best_joules),
                      field("with_energy", &of::with_energy), field("samples", &of::samples),
                      field("is_reference", &of::is_reference), field("calibrates", &of::calibrates),
                      field("repeated", &of::repeated));
}

using measurer = std::function<measurement(const tune_job&, const prepared_job&, const measure_request&)>;

struct tune_backend {
    environment_info environment;
    std::string label;  ///< "NVIDIA H200", "this processor"
    std::string source_hash;
    /// Called before anything is prepared, by a thread that lives as long as the run: starts whatever takes time to
    /// start. A second call does nothing. May be empty.
    std::function<void()> open = {};
    /// Called after the last measurement: begins to end whatever takes time to end, without waiting. May be empty.
    std::function<void()> close = {};
    /// Called by a measurer's thread before its first job: prepares the memory of a workload while others compile. A
    /// failure recurs when the memory is needed. May be empty.
    std::function<measurement(std::size_t measurer, std::size_t workload)> begin = {};
    unsigned preparers = 1;  ///< threads that may call `prepare` at once
    std::function<prepared_job(const tune_job&)> prepare;
    /// The results of running `prepare` calls are no longer needed: they end soon, with an `error` of status
    /// `interrupted`. Empty: they run to completion.
    std::function<void()> give_up_preparing = {};
    /// Before anything is prepared: throws `error` for mistakes in the spec, and returns sentences about doubtful
    /// parts. Empty: there is nothing to check.
    std::function<std::vector<std::string>(const search_space&)> check = {};
    /// Whether `check` could compare the arguments with the kernel's parameters. Empty: it could.
    std::function<bool()> arguments_are_known = {};
    /// The name of a source that has changed since `source_hash` was computed; empty text: none has. Empty: no source
    /// can change.
    std::function<std::string()> changed_source = {};
    /// How likely a candidate is worth a try before it is built; see strategy_options. Empty: unknown.
    std::function<double(const assignment& parameters)> prior = {};
    /// One thread per GPU; the GPUs are alike. Empty: nothing is measured. A GPU that answers `device_lost` gets no
    /// more jobs, and the others get its job.
    std::vector<measurer> measurers;
    std::vector<device_record> devices = {};  ///< of the measurers, by number, as far as they are known; may be empty
    /// Calls that a measurer may have at a time. With more than 1, a distant device has its next job before the last
    /// one is done; it still measures one after the other.
    unsigned calls_at_once = 1;
    bool alone = false;     ///< nothing may be prepared while something is measured: both use the processor
    bool recorded = false;  ///< measurements are looked up: measuring again gives the same
    std::vector<race_result_info> races = {};  ///< with `recorded`: the final races of the record
    bool needs_reference = true;               ///< nothing else can be measured before the reference is
    bool calibrates_early = false;             ///< `calibrates` may be asked before the reference is measured
};

}  // namespace launchbox
