// A tuning run and its results, as they are recorded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/gpu_hardware.hpp"
#include "image/kernel_info.hpp"
#include "support/expression/parameter_value.hpp"
#include "support/fields.hpp"
#include "tune/types/measurement.hpp"
#include "tune/types/work_amounts.hpp"

namespace launchbox {

/// Used if another tuner's file does not name the GPU.
inline constexpr const char* unknown_gpu = "unknown GPU";

/// The environment of results: those of two environments are never mixed.
struct environment_info {
    std::string gpu;           ///< "NVIDIA H200"; empty: no GPU took part, and the processor counts
    std::string processor;     ///< "AMD EPYC 9654", where there is no GPU
    std::string architecture;  ///< "sm_90"; empty without GPU
    int sms = 0;
    std::int64_t memory_bytes = 0;
    std::string driver;     ///< "13.0"
    std::string toolkit;    ///< "NVRTC 13.0"
    std::string host = {};  ///< its name; not part of what makes environments different

    friend bool operator==(const environment_info&, const environment_info&) = default;
};
/// The name of its GPU, or of its processor if there is no GPU.
inline const std::string& machine_of(const environment_info& where)
{
    return where.gpu.empty() ? where.processor : where.gpu;
}
/// Everything that distinguishes environments.
constexpr auto fields_of(const environment_info&)
{
    using of = environment_info;
    return std::tuple(field("gpu", &of::gpu), field("processor", &of::processor),
                      field("architecture", &of::architecture), field("sms", &of::sms),
                      field("memory_bytes", &of::memory_bytes), field("driver", &of::driver),
                      field("toolkit", &of::toolkit));
}

/// One call of `tune`. Results are reused by another call if `task_hash`, `source_hash` and the environment are equal.
struct run_info {
    std::string name;  ///< of the tunable
    std::string spec_text;
    std::string spec_hash;    ///< of the whole file
    std::string task_hash;    ///< of all in it that a single result depends on: not the lists of values, not the budget
    std::string source_hash;  ///< of the kernel's or program's sources
    std::string command;      ///< the command line
    std::string version;      ///< of launchbox
    std::string started;      ///< UTC, "2026-11-21T09:30:00Z"
    /// Its number in the store: a later call has a higher one, whatever the clock said. `nullopt`: not from a store.
    std::optional<std::int64_t> call = {};
    environment_info environment;
    std::optional<assignment> baseline;
    std::string objective = "time";  ///< as class objective has it

    friend bool operator==(const run_info&, const run_info&) = default;
};
/// Of a run; the others are of the call.
constexpr auto task_fields(const run_info&)
{
    return std::tuple(field("task_hash", &run_info::task_hash), field("source_hash", &run_info::source_hash));
}
/// `spec_text` has another name in a file than in a store.
constexpr auto call_fields(const run_info&, const char* spec_text = "spec_text")
{
    using of = run_info;
    return std::tuple(field("name", &of::name), field("started", &of::started), field("version", &of::version),
                      field("command", &of::command), field("spec_hash", &of::spec_hash),
                      field(spec_text, &of::spec_text), field("baseline", &of::baseline),
                      field("objective", &of::objective));
}

/// What is kept of a kernel: all that decides how it runs. `architecture` is written by `set_architecture`.
constexpr auto fields_of(const kernel_info&)
{
    using of = kernel_info;
    return std::tuple(field("name", &of::name), field("architecture", &of::architecture),
                      part_field("registers", &of::figures, &kernel_figures::registers),
                      part_field("spill_store_bytes", &of::figures, &kernel_figures::spill_store_bytes),
                      part_field("spill_load_bytes", &of::figures, &kernel_figures::spill_load_bytes),
                      part_field("shared_spill_store_bytes", &of::figures, &kernel_figures::shared_spill_store_bytes),
                      part_field("shared_spill_load_bytes", &of::figures, &kernel_figures::shared_spill_load_bytes),
                      part_field("stack_frame_bytes", &of::figures, &kernel_figures::stack_frame_bytes),
                      part_field("static_shared_bytes", &of::figures, &kernel_figures::static_shared_bytes),
                      part_field("barriers", &of::figures, &kernel_figures::barriers),
                      part_field("max_threads", &of::bounds, &declared_bounds::max_threads),
                      part_field("required_threads", &of::bounds, &declared_bounds::required_threads),
                      part_field("min_blocks", &of::bounds, &declared_bounds::min_blocks),
                      part_field("register_cap", &of::bounds, &declared_bounds::register_cap),
                      part_field("code_bytes", &of::figures, &kernel_figures::code_bytes),
                      part_field("launch_threads", &of::launches, &kernel_launches::launch_threads));
}

struct stored_result {
    std::int64_t run = 0;  ///< the call that measured it
    assignment parameters, workload;
    double weight = 1;       ///< of the workload
    work_amounts work = {};  ///< of the workload: the same for all its results
    measurement measured;
    std::optional<kernel_info> kernel;       ///< what the compiler made; `nullopt`: nothing, or a program
    std::string code = {};                   ///< see build_record
    std::optional<assignment> same_as = {};  ///< the candidate with identical code and launch whose samples these are
    std::string log = {};                    ///< the compiler's, where there is something to read
    double compile_seconds = 0;
    bool from_cache = false;
    int deaths = 0;             ///< workers that died of it
    std::string finished = {};  ///< UTC

    friend bool operator==(const stored_result&, const stored_result&) = default;
};
/// Without what was measured, which has its own, and the work, which is the workload's.
constexpr auto fields_of(const stored_result&)
{
    using of = stored_result;
    return std::tuple(field("parameters", &of::parameters), field("workload", &of::workload),
                      field("weight", &of::weight), field("resources", &of::kernel), field("code", &of::code),
                      field("same_as", &of::same_as), field("log", &of::log),
                      field("compile_seconds", &of::compile_seconds), field("from_cache", &of::from_cache),
                      field("deaths", &of::deaths), field("finished", &of::finished));
}

/// The final race on one workload.
struct race_entry {
    assignment parameters;
    std::vector<double> samples_ns;
    /// The median of the result that brought it into the race, which is what the race was drawn from; `nullopt`: not
    /// known.
    std::optional<double> result_median_ns = {};

    friend bool operator==(const race_entry&, const race_entry&) = default;
};
constexpr auto fields_of(const race_entry&)
{
    return std::tuple(field("parameters", &race_entry::parameters), field("samples_ns", &race_entry::samples_ns),
                      field("result_median_ns", &race_entry::result_median_ns));
}
struct race_result_info {
    std::int64_t run = 0;
    assignment workload;
    std::vector<race_entry> entries = {};  ///< the fastest first
    std::string
        verdict;  ///< "winner", or "equal": the first is not separated from the second, and the tie rule chooses
    double equal_within = 0;  ///< with "equal": 0.004 for 0.4 %

    friend bool operator==(const race_result_info&, const race_result_info&) = default;
};
/// Without the entries.
constexpr auto fields_of(const race_result_info&)
{
    using of = race_result_info;
    return std::tuple(field("workload", &of::workload), field("verdict", &of::verdict),
                      field("equal_within", &of::equal_within));
}

/// One of the GPUs of a run.
struct device_record {
    std::string name;  ///< "GPU 1", "rank 3 (node7, GPU 1)": that of no other GPU of the run
    std::string host = {};
    std::string uuid = {};                      ///< as the driver has it; empty: unknown
    std::optional<bool> ecc = {};               ///< whether its memory corrects errors
    std::optional<gpu_hardware> hardware = {};  ///< when the run began; `nullopt`: nobody looked
    std::vector<double> calibration_ns = {};    ///< samples of the reference, which all GPUs of the run have timed
    std::optional<device_state> state = {};     ///< while it did
    std::int64_t measured = 0, failed = 0;      ///< results of the last call
    double busy_seconds = 0, seconds = 0;       ///< of the last call: measuring, and the whole search
    std::string lost = {};                      ///< why it was left out; empty: it was not

    friend bool operator==(const device_record&, const device_record&) = default;
};
constexpr auto fields_of(const device_record&)
{
    using of = device_record;
    return std::tuple(
        field("name", &of::name), field("host", &of::host), field("uuid", &of::uuid), field("ecc", &of::ecc),
        field("hardware", &of::hardware), field("calibration_ns", &of::calibration_ns), field("state", &of::state),
        field("measured", &of::measured), field("failed", &of::failed), field("busy_seconds", &of::busy_seconds),
        field("seconds", &of::seconds), field("lost", &of::lost));
}

/// A candidate that was being measured when the process that measured it, or launchbox itself, ended.
struct attempt {
    assignment parameters, workload;
    int deaths = 0;
};
constexpr auto fields_of(const attempt&)
{
    return std::tuple(field("parameters", &attempt::parameters), field("workload", &attempt::workload),
                      field("deaths", &attempt::deaths));
}

}  // namespace launchbox
