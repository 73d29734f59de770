// The launches of a program, with what is known of its kernels, and how full the GPU was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
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

/// Something that leaves part of the GPU idle, or is slow by itself.
struct launch_finding {
    std::string id;          ///< small_grid, tail, partial_warp, block_slots, low_occupancy, spills
    std::string text;        ///< "12 blocks use 12 of 132 SMs"
    std::string verb;        ///< the verb that helps: bounds, suggest, tune
    std::string step;        ///< what to do; a command if there is one
    double max_gain_ns = 0;  ///< the time of these launches times their idle share: the largest possible gain
};

/// Launches of one kernel with one shape, from all processes.
struct observed_launches {
    std::string name, demangled, short_form;
    std::optional<std::size_t> gpu;  ///< index into `observed_run::gpus`
    record::launch_key key{};
    std::uint64_t count = 0;
    std::size_t processes = 0;
    double total_ns = 0, median_ns = 0, min_ns = 0, max_ns = 0;
    bool median_of_sample = false;

    kernel_info kernel;                        ///< from the loaded module; without one, from CUPTI
    std::string image_unknown;                 ///< why `kernel` is not from a module; empty if it is
    std::optional<occupancy_account> account;  ///< `nullopt` if the GPU is unknown
    std::optional<int> sms_used;               ///< SMs with a block, if the grid has fewer blocks than the GPU has SMs
    std::vector<launch_finding> findings;      ///< the largest first
};
/// The number of launches, and their times.
constexpr auto fields_of(const observed_launches&)
{
    using of = observed_launches;
    return std::tuple(field("processes", &of::processes), field("launches", &of::count),
                      field("total_ns", &of::total_ns), field("median_ns", &of::median_ns),
                      field("median_of_sample", &of::median_of_sample), field("min_ns", &of::min_ns),
                      field("max_ns", &of::max_ns));
}
/// Figures of the kernel that are listed with a launch.
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
    double kernel_ns = 0;                     ///< sum over all launches
    double span_ns = 0;                       ///< longest time in a process from the first begin to the last end
    std::uint64_t untimed = 0;                ///< launches unfinished when their process ended
    std::size_t unobserved = 0;               ///< processes that used CUDA and were not followed
    std::optional<std::uint32_t> cupti_version, driver_version;
    std::vector<std::string> warnings;  ///< what is missing, and why
};
/// The totals of a run.
constexpr auto fields_of(const observed_run&)
{
    using of = observed_run;
    return std::tuple(field("unobserved_processes", &of::unobserved), field("launches", &of::count),
                      field("unfinished_launches", &of::untimed), field("kernel_ns", &of::kernel_ns),
                      field("span_ns", &of::span_ns));
}

/// Made from records and the folder with their modules; without a folder all modules are missing.
observed_run observed_run_of(const std::vector<seen_process>& processes, const std::filesystem::path& folder = {});

/// Reads the folder that the observers wrote.
observed_run read_observed(const std::filesystem::path& folder);

}  // namespace launchbox
