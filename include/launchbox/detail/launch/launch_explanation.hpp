// launchbox: explains in a sentence why a launch is refused, from the model and what the runtime reports about kernel
// and GPU. A function of plain values, so that it needs no GPU. Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <launchbox/block_size.hpp>
#include <launchbox/launch_error_kind.hpp>
#include <launchbox/launch_extent.hpp>
#include <launchbox/occupancy.hpp>

namespace launchbox {

/// All facts that the explanation of a launch uses.
struct launch_facts {
    std::string kernel = {};                ///< its name, as written in a launch
    compute_capability gpu = {};            ///< of the current device
    std::optional<int> sms = std::nullopt;  ///< of the current device

    // cudaFuncGetAttributes
    int registers = 0;
    std::int64_t static_shared_bytes = 0;
    int max_threads = max_threads_per_block;  ///< maxThreadsPerBlock: the launch bound or what registers allow
    int binary_version = 0;                   ///< 90: the code is for sm_90
    int ptx_version = 0;                      ///< 80: it was compiled from compute_80
    int barriers = 0;
    int carveout_percent = -1;
    std::optional<launch_extent> required_cluster = std::nullopt;  ///< __cluster_dims__
    std::optional<int> largest_cluster = std::nullopt;  ///< cudaOccupancyMaxPotentialClusterSize for this launch

    // The launch.
    launch_extent grid = {};
    launch_extent threads = {};
    launch_extent cluster = {};
    byte_count dynamic_shared_bytes = {};
    bool cooperative = false;

    // The runtime's error; empty if nothing was launched.
    std::string error_name = {};
    std::string error_text = {};
    bool invalid_value = false;  ///< cudaErrorInvalidValue: too many threads for a launch bound, not for registers
};

struct launch_explanation {
    launch_error_kind kind = launch_error_kind::none;
    launch_obstacle obstacle = launch_obstacle::none;
    std::string text = {};  ///< empty: the launch is accepted
};

namespace detail {

// 65,536
inline std::string grouped(std::int64_t value)
{
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

// "512", "16 x 32"
inline std::string extent_text(const launch_extent& extent)
{
    std::string text = grouped(extent.x);
    if (extent.y != 1 || extent.z != 1) text += " x " + grouped(extent.y);
    if (extent.z != 1) text += " x " + grouped(extent.z);
    return text;
}

// "1 block", "4 x 2 blocks"
inline std::string blocks_text(const launch_extent& blocks)
{
    return extent_text(blocks) + (blocks == launch_extent{} ? " block" : " blocks");
}

// "512 threads", "16 x 32 = 512 threads"
inline std::string threads_text(const launch_extent& threads)
{
    std::string text = extent_text(threads);
    if (threads.y != 1 || threads.z != 1) text += " = " + grouped(threads.count());
    return text + (threads.count() == 1 ? " thread" : " threads");
}

inline std::string architecture_of(int version)
{
    const architecture_text name = architecture_name({.major = version / 10, .minor = version % 10});
    return std::string(name.view());
}

inline std::string gpu_name(const compute_capability& gpu)
{
    const architecture_text name = architecture_name(gpu);
    return std::string(name.view());
}

// "sm_90", or "sm_90 (from compute_80)"
inline std::string compiled_for(const launch_facts& facts)
{
    std::string text = architecture_of(facts.binary_version);
    if (facts.ptx_version != 0 && facts.ptx_version != facts.binary_version)
        text += " (from compute_" + std::to_string(facts.ptx_version) + ")";
    return text;
}

inline launch_shape shape_of(const launch_facts& facts)
{
    return {.threads = static_cast<int>(std::clamp<std::int64_t>(facts.threads.count(), -1, 1 << 20)),
            .dynamic_shared_bytes = facts.dynamic_shared_bytes.bytes,
            .cluster_blocks = static_cast<int>(std::clamp<std::int64_t>(facts.cluster.count(), -1, 1 << 20))};
}

// A launch opts in to all the shared memory that a block can have.
inline launch_settings settings_of(const sm_limits& limits, std::int64_t static_shared_bytes, int carveout_percent)
{
    const std::int64_t max_bytes = limits.shared_per_block_opt_in - static_shared_bytes;
    return {.max_dynamic_shared_bytes = std::max<std::int64_t>(max_bytes, 0),
            .carveout_percent = carveout_percent,
            .non_portable_clusters = true};
}

// maxThreadsPerBlock is the smaller of the launch bound and what registers allow. If it can be either, it is taken as
// the registers, unless the runtime refused the launch with its error for launch bounds.
inline kernel_resources resources_of(const sm_limits& limits, const launch_facts& facts)
{
    kernel_resources kernel{
        .registers = facts.registers, .static_shared_bytes = facts.static_shared_bytes, .barriers = facts.barriers};
    if (facts.max_threads < max_launchable_threads(limits, kernel) || facts.invalid_value)
        kernel.max_threads = facts.max_threads;
    return kernel;
}

// " (then at most 128 registers)": what ptxas allows with a launch bound of `threads`.
inline std::string cap_text(const launch_facts& facts, int threads)
{
    const sm_limits* code = find_sm_limits({.major = facts.binary_version / 10, .minor = facts.binary_version % 10});
    const std::optional<int> cap = code ? register_cap(*code, threads) : std::nullopt;
    return cap ? " (then at most " + std::to_string(*cap) + " registers)" : "";
}

inline std::string launch_with(std::int64_t threads)
{
    return "Launch with " + grouped(threads) + (threads == 1 ? " thread" : " threads or fewer");
}

inline std::string register_text(const sm_limits& limits, const launch_facts& facts, const occupancy_result& account)
{
    const register_limit& use = account.registers;
    const int threads = static_cast<int>(facts.threads.count());
    std::string text = threads_text(facts.threads) + " with " + std::to_string(use.per_thread) + " registers each ";
    if (account.obstacle == launch_obstacle::register_rounding) {
        const int unit = launch_check_partitions(limits);
        const int warps = align_up(warps_of(threads), unit);
        text += "are " + std::to_string(warps_of(threads)) + " warps, which the launch counts as " +
                std::to_string(warps) + " (a multiple of " + std::to_string(unit) +
                "): " + grouped(std::int64_t{use.per_warp} * warps);
    } else {
        text += "take " + grouped(use.per_block);
    }
    text += " registers, but a block has at most " + grouped(limits.registers_per_block) + " on " +
            gpu_name(limits.capability) + ". " + launch_with(facts.max_threads) +
            ", or compile it with __launch_bounds__(" + std::to_string(threads) + ")" + cap_text(facts, threads) + '.';
    return text;
}

inline std::string shared_text(const sm_limits& limits, const launch_facts& facts)
{
    const std::int64_t max_bytes = limits.shared_per_block_opt_in;
    const std::int64_t dynamic = facts.dynamic_shared_bytes.bytes, fixed = facts.static_shared_bytes;
    std::string text = grouped(dynamic) + " B of dynamic shared memory";
    if (fixed > 0) text += " and " + grouped(fixed) + " B static";
    text += ", but a block has at most " + grouped(max_bytes) + " B on " + gpu_name(limits.capability) + ": " +
            grouped(bounded(dynamic) + fixed - max_bytes) + " B too many. ";
    if (fixed > max_bytes) return text + "Use less static shared memory.";
    return text + "Launch with " + grouped(max_bytes - fixed) + " B of dynamic shared memory or less.";
}

inline launch_explanation explain_block(const sm_limits& limits, const launch_facts& facts)
{
    const kernel_resources kernel = resources_of(limits, facts);
    const launch_settings settings = settings_of(limits, facts.static_shared_bytes, facts.carveout_percent);
    const occupancy_result account = occupancy(limits, kernel, shape_of(facts), settings);
    launch_explanation result{.kind = launch_error_kind::block, .obstacle = account.obstacle};
    switch (account.obstacle) {
        case launch_obstacle::over_launch_bound: {
            const int bound = kernel.max_threads;
            result.text = threads_text(facts.threads) + ", but it was compiled for " + compiled_for(facts) +
                          " with __launch_bounds__(" + std::to_string(bound) + "). " + launch_with(bound) +
                          ", or raise the bound" + cap_text(facts, static_cast<int>(facts.threads.count())) + '.';
            break;
        }
        case launch_obstacle::registers_per_thread:
        case launch_obstacle::registers_per_block:
        case launch_obstacle::register_rounding:
        case launch_obstacle::register_partition:
            result.text = register_text(limits, facts, account);
            break;
        case launch_obstacle::dynamic_shared_limit:
        case launch_obstacle::shared_per_block:
            result.text = shared_text(limits, facts);
            break;
        default:  // no launch through the runtime can meet the other obstacles
            return {};
    }
    return result;
}

// Checks that apply to every GPU, known or not.
inline launch_explanation explain_sizes(const launch_facts& facts)
{
    constexpr std::int64_t max_x = 2147483647, max_yz = 65535, max_threads_z = 64;
    const launch_extent &grid = facts.grid, &threads = facts.threads;
    if (!grid.is_positive())
        return {launch_error_kind::grid, launch_obstacle::none,
                "a grid of " + blocks_text(grid) +
                    ". Every dimension is 1 or more: where there is nothing to do, do not launch."};
    if (grid.x > max_x || grid.y > max_yz || grid.z > max_yz)
        return {launch_error_kind::grid, launch_obstacle::none,
                "a grid of " + blocks_text(grid) +
                    ", but it has at most 2,147,483,647 in x and 65,535 in y and z. Put the longest dimension into x, "
                    "or let each block do more."};
    if (!threads.is_positive())
        return {launch_error_kind::block, launch_obstacle::negative_input,
                "a block of " + extent_text(threads) + " threads. Every dimension is 1 or more."};
    if (facts.dynamic_shared_bytes.bytes < 0)
        return {launch_error_kind::block, launch_obstacle::negative_input,
                grouped(facts.dynamic_shared_bytes.bytes) + " B of dynamic shared memory. It is 0 or more."};
    if (threads.count() > max_threads_per_block)
        return {launch_error_kind::block, launch_obstacle::over_1024_threads,
                threads_text(threads) + ", but a block has at most 1,024. " + launch_with(facts.max_threads) + '.'};
    if (threads.z > max_threads_z)
        return {launch_error_kind::block, launch_obstacle::none,
                grouped(threads.z) +
                    " threads in z, but a block has at most 64 there (1,024 in x and y). Put the "
                    "longest dimension into x."};
    return {};
}

inline launch_explanation explain_cluster(const sm_limits* limits, const launch_facts& facts)
{
    const auto refused = [](std::string text) {
        return launch_explanation{launch_error_kind::cluster, launch_obstacle::none, std::move(text)};
    };
    const launch_extent& cluster = facts.required_cluster.value_or(facts.cluster);
    const std::string asked = "a cluster of " + blocks_text(cluster);
    if (!cluster.is_positive()) return refused(asked + ". Every dimension is 1 or more.");
    if (facts.required_cluster && facts.cluster != launch_extent{} && facts.cluster != cluster)
        return refused("a cluster of " + blocks_text(facts.cluster) + ", but it was compiled with " +
                       blocks_text(cluster) + " (__cluster_dims__). Leave the cluster out of the launch.");
    if (cluster == launch_extent{}) return {};
    if (limits && limits->portable_cluster == 0)
        return refused(asked + ", but there are no clusters on " + gpu_name(facts.gpu) + ", only from sm_90 on.");
    if (facts.grid.x % cluster.x != 0 || facts.grid.y % cluster.y != 0 || facts.grid.z % cluster.z != 0)
        return refused(asked + " does not divide a grid of " + blocks_text(facts.grid) +
                       ". Round the grid up to whole clusters in every dimension.");
    if (facts.largest_cluster && cluster.count() > *facts.largest_cluster)
        return refused(asked + ", but with this kernel and block at most " + std::to_string(*facts.largest_cluster) +
                       " fit together on this GPU. Use a smaller cluster" +
                       (*facts.largest_cluster < 8 ? ", fewer threads or less shared memory." : "."));
    if (limits && cluster.count() > max_cluster_of(*limits, model_mode::driver, true))
        return refused(asked + ", but a cluster has at most " + std::to_string(*limits->non_portable_cluster) + " on " +
                       gpu_name(facts.gpu) + ". Use a smaller cluster.");
    return {};
}

inline launch_explanation explain_cooperative(const sm_limits& limits, const launch_facts& facts)
{
    if (!facts.cooperative || !facts.sms) return {};
    const launch_settings settings = settings_of(limits, facts.static_shared_bytes, facts.carveout_percent);
    const int blocks = resident_blocks(limits, resources_of(limits, facts), shape_of(facts), settings);
    const std::int64_t max_blocks = std::int64_t{blocks} * *facts.sms;
    // All three are within the bounds of a grid, so that the product just fits.
    const std::int64_t asked = facts.grid.x * facts.grid.y * facts.grid.z;
    if (asked <= max_blocks) return {};
    return {launch_error_kind::cooperative, launch_obstacle::none,
            "a cooperative launch of " + grouped(asked) + " blocks, but " + grouped(max_blocks) +
                " are resident at once (" + std::to_string(blocks) + " on each of " + std::to_string(*facts.sms) +
                " SMs). Launch with " + grouped(max_blocks) + " blocks or fewer."};
}

// For a GPU whose limits are not known.
inline launch_explanation explain_on_unknown_gpu(const launch_facts& facts)
{
    if (facts.threads.count() <= facts.max_threads) return {};
    return {launch_error_kind::block, launch_obstacle::over_launch_bound,
            threads_text(facts.threads) + ", but with its launch bound and its " + std::to_string(facts.registers) +
                " registers it can have at most " + grouped(facts.max_threads) + " on this GPU. " +
                launch_with(facts.max_threads) + '.'};
}

}  // namespace detail

/// Why this launch is refused. Without `error_name`: whether it would be, as far as the model and the attributes
/// predict; the text is empty if not. With it there is always a text: the runtime's, if nothing else explains the
/// error.
inline launch_explanation explain(const launch_facts& facts)
{
    const sm_limits* limits = find_sm_limits(facts.gpu);
    launch_explanation result = detail::explain_sizes(facts);
    if (result.text.empty())
        result = limits ? detail::explain_block(*limits, facts) : detail::explain_on_unknown_gpu(facts);
    if (result.text.empty()) result = detail::explain_cluster(limits, facts);
    if (result.text.empty() && limits) result = detail::explain_cooperative(*limits, facts);
    if (result.text.empty() && !facts.error_name.empty())
        result = {launch_error_kind::runtime, launch_obstacle::none, facts.error_name + ": " + facts.error_text + '.'};
    if (!result.text.empty()) result.text = facts.kernel + ": " + result.text;
    return result;
}

}  // namespace launchbox
