// The result of one candidate on one workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/fields.hpp"

namespace launchbox {

enum class outcome {
    measured,
    rejected,  ///< never launched: it cannot run, or the spec does not want it
    compile_error,
    compile_timeout,  ///< stopped: it took too long or too much memory
    launch_error,     ///< the driver refused the launch
    illegal_access,   ///< of memory, also one that only our guard bytes noticed
    hang,
    trap,  ///< __trap, assert
    wrong_result,
    out_of_memory,
    worker_died,  ///< the process that measured it ended, twice
    device_lost,  ///< not the candidate's fault: measured again at the next run
};
constexpr outcome last_of(outcome)
{
    return outcome::device_lost;
}

/// "measured", "compile error", "illegal access".
std::string_view words_of(outcome what);
/// "compile_error", for files; `nullopt` if unknown.
std::string_view name_of(outcome what);
std::optional<outcome> outcome_named(std::string_view name);
/// The outcome that user code reports for its own work. It may not report that it was measured, that its process died,
/// or that a GPU is lost: these and unknown names become `launch_error`.
outcome outcome_said(std::string_view name);

/// NVML's figures of a GPU at work. Figures that it does not report are unknown.
struct device_state {
    std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_celsius, power_milliwatts;
    std::string throttling = {};  ///< "thermal, power cap"; empty: not throttled, or not known

    friend bool operator==(const device_state&, const device_state&) = default;
};
constexpr auto fields_of(const device_state&)
{
    return std::tuple(
        field("sm_clock_mhz", &device_state::sm_clock_mhz), field("memory_clock_mhz", &device_state::memory_clock_mhz),
        field("temperature_celsius", &device_state::temperature_celsius),
        field("power_milliwatts", &device_state::power_milliwatts), field("throttling", &device_state::throttling));
}

/// Wall seconds spent on one candidate.
struct phase_seconds {
    double reference = 0;  ///< waited for the program of [verify], which writes what is right
    double load = 0;       ///< its module
    double prepare = 0;    ///< buffers filled, restored and poisoned; the reference uploaded
    double verify = 0;     ///< the first launch, and its outputs compared
    double time = 0;       ///< the timed launches
    double check = 0;      ///< outputs, inputs and guards after them

    phase_seconds& operator+=(const phase_seconds& other);
    friend bool operator==(const phase_seconds&, const phase_seconds&) = default;
};

inline constexpr std::array<field<phase_seconds, double>, 6> phase_kinds{{{"reference", &phase_seconds::reference},
                                                                          {"load", &phase_seconds::load},
                                                                          {"prepare", &phase_seconds::prepare},
                                                                          {"verify", &phase_seconds::verify},
                                                                          {"time", &phase_seconds::time},
                                                                          {"check", &phase_seconds::check}}};
constexpr auto fields_of(const phase_seconds&)
{
    return phase_kinds;
}

/// Quantities measured beside the time: energy in joules and power in watts, named as in `objective`, or a number that
/// the user's program prints.
struct measured_quantity {
    std::string name;
    std::vector<double> samples = {};  ///< one or more

    friend bool operator==(const measured_quantity&, const measured_quantity&) = default;
};
constexpr auto fields_of(const measured_quantity&)
{
    return std::tuple(field("name", &measured_quantity::name), field("samples", &measured_quantity::samples));
}
using measured_quantities = std::vector<measured_quantity>;
/// Appends the samples of `more` to those of the same name.
void add_samples(measured_quantities& to, const measured_quantities& more);

struct measurement {
    outcome status = outcome::measured;
    std::string reason = {};                 ///< one line; empty when measured
    std::vector<double> samples_ns = {};     ///< in the order in which they were taken
    measured_quantities quantities = {};     ///< each name once
    int dropped = 0;                         ///< samples taken while the GPU was throttled, and not kept
    bool stopped_early = false;              ///< clearly slower than the best: fewer samples than usual
    bool verified = false;                   ///< its outputs were compared with the reference
    std::string checksum = {};               ///< of the outputs, where they are known
    std::vector<std::string> warnings = {};  ///< about the reference, for whoever tunes: a sentence each; not stored
    std::optional<device_state> device = {};
    bool not_begun = false;                    ///< the device was lost before it came to this job
    double seconds = 0;                        ///< of wall time that it cost the one who measured
    std::optional<phase_seconds> phases = {};  ///< of `seconds`; unknown where something else measured
    bool sticky = false;                       ///< the worker cannot go on after it
    std::string machine_failure = {};          ///< what the machine lacked: it is not the candidate's, and may go away

    friend bool operator==(const measurement&, const measurement&) = default;
};
/// Of those that are kept; `phases` has another name in a file than in a store.
constexpr auto stored_fields(const measurement&, const char* phases = "phases")
{
    using of = measurement;
    return std::tuple(field("status", &of::status), field("reason", &of::reason), field("samples_ns", &of::samples_ns),
                      field("quantities", &of::quantities), field("dropped", &of::dropped),
                      field("stopped_early", &of::stopped_early), field("verified", &of::verified),
                      field("checksum", &of::checksum), field("seconds", &of::seconds), field("sticky", &of::sticky),
                      field("device", &of::device), field(phases, &of::phases));
}
constexpr auto fields_of(const measurement& measured)
{
    return std::tuple_cat(stored_fields(measured), std::tuple(field("warnings", &measurement::warnings),
                                                              field("machine_failure", &measurement::machine_failure)));
}

}  // namespace launchbox
