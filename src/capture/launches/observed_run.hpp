// What a program launched, with what is known of its kernels and of how full the GPU was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "advice/model/account.hpp"
#include "capture/record/record_reader.hpp"
#include "capture/session/observed_program.hpp"
#include "image/kernel_info.hpp"
#include "support/fields.hpp"

namespace launchbox {

struct observed_gpu {
    std::string name;
    compute_capability capability;
    int sms = 0;

    friend bool operator==(const observed_gpu&, const observed_gpu&) = default;
};

/// Something that leaves part of the GPU idle, or is slow in itself.
struct launch_finding {
    std::string id;          ///< small_grid, tail, partial_warp, block_slots, low_occupancy, spills
    std::string text;        ///< "12 blocks use 12 of 132 SMs"
    std::string verb;        ///< the one that helps: bounds, suggest, tune
    std::string step;        ///< what to do; a command if there is one
    double max_gain_ns = 0;  ///< the time of these launches times their idle share: the largest possible gain
};

/// Launches of one kernel with one shape, of all processes together.
struct observed_launches {
    std::string name, demangled, short_form;
    std::optional<std::size_t> gpu;  ///< in `observed_run::gpus`
    record::launch_key key{};
    std::uint64_t count = 0;
    std::size_t processes = 0;
    double total_ns = 0, median_ns = 0, min_ns = 0, max_ns = 0;
    bool median_of_sample = false;

    kernel_info kernel;                        ///< of the module that was loaded; without one, what CUPTI tells
    std::string image_unknown;                 ///< why `kernel` is not of a module; empty: it is
    std::optional<occupancy_account> account;  ///< nullopt: the GPU is not known
    std::optional<int> sms_used;               ///< where the grid has fewer blocks than the GPU has SMs: those with one
    std::vector<launch_finding> findings;      ///< the largest first
};
/// How often, and how long.
constexpr auto fields_of(const observed_launches&)
{
    using of = observed_launches;
    return std::tuple(field("processes", &of::processes), field("launches", &of::count),
                      field("total_ns", &of::total_ns), field("median_ns", &of::median_ns),
                      field("median_of_sample", &of::median_of_sample), field("min_ns", &of::min_ns),
                      field("max_ns", &of::max_ns));
}
/// What a launch is listed with of its kernel.
constexpr auto launched_figures(const kernel_info&)
{
    using of = kernel_info;
    return std::tuple(part_field("registers", &of::figures, &kernel_figures::registers),
                      part_field("spill_store_bytes", &of::figures, &kernel_figures::spill_store_bytes),
                      part_field("spill_load_bytes", &of::figures, &kernel_figures::spill_load_bytes),
                      part_field("shared_spill_store_bytes", &of::figures, &kernel_figures::shared_spill_store_bytes),
                      part_field("shared_spill_load_bytes", &of::figures, &kernel_figures::shared_spill_load_bytes),
                      field("optimisation", &of::optimisation),
                      part_field("stack_frame_bytes", &of::figures, &kernel_figures::stack_frame_bytes),
                      part_field("static_shared_bytes", &of::figures, &kernel_figures::static_shared_bytes),
                      part_field("barriers", &of::figures, &kernel_figures::barriers),
                      part_field("max_threads", &of::bounds, &declared_bounds::max_threads),
                      part_field("min_blocks", &of::bounds, &declared_bounds::min_blocks));
}

struct observed_process {
    std::int32_t process = 0;
    std::vector<std::string> command;
    bool ended = false;
    std::uint64_t launches = 0;
    double kernel_ns = 0;
};
constexpr auto fields_of(const observed_process&)
{
    using of = observed_process;
    return std::tuple(field("process", &of::process), field("command", &of::command), field("ended", &of::ended),
                      field("launches", &of::launches), field("kernel_ns", &of::kernel_ns));
}

struct observed_run {
    std::vector<std::string> command;
    program_ending ending;
    std::vector<observed_gpu> gpus;
    std::vector<observed_process> processes;
    std::vector<observed_launches> launches;  ///< the longest time first
    std::uint64_t count = 0;                  ///< of launches
    double kernel_ns = 0;                     ///< of all of them, one after another
    double span_ns = 0;                       ///< from the first begin to the last end in one process: the longest
    std::uint64_t untimed = 0;                ///< launches that were not over when their process ended
    std::size_t unobserved = 0;               ///< processes that used CUDA and were not followed
    std::optional<std::uint32_t> cupti_version, driver_version;
    std::vector<std::string> warnings;  ///< what is missing above, and why
};
/// The sums of a run.
constexpr auto fields_of(const observed_run&)
{
    using of = observed_run;
    return std::tuple(field("unobserved_processes", &of::unobserved), field("launches", &of::count),
                      field("unfinished_launches", &of::untimed), field("kernel_ns", &of::kernel_ns),
                      field("span_ns", &of::span_ns));
}

/// From records and the folder that has their modules; without a folder all modules are missing.
observed_run observed_run_of(const std::vector<seen_process>& processes, const std::filesystem::path& folder = {});

/// Reads the folder that the observers wrote to.
observed_run read_observed(const std::filesystem::path& folder);

}  // namespace launchbox
