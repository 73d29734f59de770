// launchbox: all limits of one query together: the quick result and the full account. Internal: include occupancy.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <launchbox/detail/model/resource_limits.hpp>

namespace launchbox::detail {

constexpr bool is_valid(const kernel_resources& kernel, const launch_shape& shape, const launch_settings& settings)
{
    // All sign bits in one comparison, since programs run the query millions of times.
    return shape.threads > 0 && (shape.threads | kernel.registers | kernel.barriers | kernel.max_threads) >= 0 &&
           (kernel.static_shared_bytes | shape.dynamic_shared_bytes | settings.max_dynamic_shared_bytes.value_or(0)) >=
               0;
}

[[gnu::always_inline]] constexpr int quick_resident_blocks(const sm_limits& limits, const kernel_resources& kernel,
                                                           const launch_shape& shape, const launch_settings& settings)
{
    const bool spreadsheet = settings.mode == model_mode::spreadsheet;
    if (!is_valid(kernel, shape, settings) || shape.threads > max_threads_per_block) return 0;
    if (spreadsheet ? !limits.spreadsheet : shape.threads > kernel.max_threads) return 0;
    if (!spreadsheet && kernel.barriers > max_barriers_per_block) return 0;
    if (!is_cluster_allowed(limits, shape, settings)) return 0;

    const int warps = warps_of(shape.threads);
    const register_limit registers = register_limit_of(limits, bounded_count(kernel.registers), warps, settings);
    const shared_limit shared =
        shared_limit_of(limits, bounded(kernel.static_shared_bytes), bounded(shape.dynamic_shared_bytes), settings);
    const int by_warps = warp_limit_of(limits, shape.threads, warps, registers.caching).blocks;
    const int by_barriers = barrier_limit_of(limits, kernel.barriers, settings.mode).blocks;
    const int by_slots = std::min(by_warps, limits.blocks_per_sm);
    const int by_memory = std::min(registers.blocks, shared.blocks);
    return std::min(std::min(by_slots, by_memory), std::min(by_barriers, virtual_limit_of(limits, settings)));
}

// Called only where a limit is 0 or the block exceeds a bound.
constexpr launch_obstacle obstacle_of(const sm_limits& limits, const kernel_resources& kernel,
                                      const launch_shape& shape, const launch_settings& settings,
                                      const register_limit& registers, const shared_limit& shared,
                                      const barrier_limit& barriers, int by_virtual)
{
    if (!is_valid(kernel, shape, settings)) return launch_obstacle::negative_input;
    if (shape.threads > max_threads_per_block) return launch_obstacle::over_1024_threads;
    const bool driver = settings.mode == model_mode::driver;
    if (driver && shape.threads > kernel.max_threads) return launch_obstacle::over_launch_bound;
    if (registers.blocks == 0) {
        if (registers.per_thread > (driver ? limits.launchable_registers : limits.registers_per_thread))
            return launch_obstacle::registers_per_thread;
        if (registers.per_block > limits.registers_per_block) return launch_obstacle::registers_per_block;
        const int counted = align_up(warps_of(shape.threads), launch_check_partitions(limits));
        if (registers.per_warp * counted > limits.registers_per_block) return launch_obstacle::register_rounding;
        return launch_obstacle::register_partition;
    }
    if (shared.blocks == 0) {
        if (driver && settings.max_dynamic_shared_bytes && shared.dynamic_bytes > *settings.max_dynamic_shared_bytes)
            return launch_obstacle::dynamic_shared_limit;
        return launch_obstacle::shared_per_block;
    }
    if (driver && (kernel.barriers > max_barriers_per_block || barriers.blocks == 0))
        return launch_obstacle::barriers_per_block;
    if (by_virtual == 0) return launch_obstacle::virtual_resources;
    if (!is_cluster_allowed(limits, shape, settings))
        return shape.cluster_blocks > max_cluster_of(limits, settings.mode, true)
                   ? launch_obstacle::cluster_blocks
                   : launch_obstacle::non_portable_cluster;
    return launch_obstacle::none;
}

// The account of a valid query. `threads` is bounded.
[[gnu::always_inline]] constexpr occupancy_result account_of(const sm_limits& limits, const kernel_resources& kernel,
                                                             const launch_shape& shape, int threads,
                                                             const launch_settings& settings)
{
    const int warps = warps_of(threads);
    const int counted_warps = std::min(warps, 2 * max_threads_per_block / warp_size);  // keeps products small
    const register_limit registers =
        register_limit_of(limits, bounded_count(kernel.registers), counted_warps, settings);
    const shared_limit shared =
        shared_limit_of(limits, bounded(kernel.static_shared_bytes), bounded(shape.dynamic_shared_bytes), settings);
    const warp_limit by_warps = warp_limit_of(limits, threads, warps, registers.caching);
    const barrier_limit barriers = barrier_limit_of(limits, kernel.barriers, settings.mode);
    const int by_virtual = virtual_limit_of(limits, settings);

    const int by_slots = std::min(by_warps.blocks, limits.blocks_per_sm);
    const int by_memory = std::min(registers.blocks, shared.blocks);
    const int lowest = std::min(std::min(by_slots, by_memory), std::min(barriers.blocks, by_virtual));
    launch_obstacle obstacle = launch_obstacle::none;
    if (lowest == 0 || threads > kernel.max_threads || kernel.barriers > max_barriers_per_block ||
        !is_cluster_allowed(limits, shape, settings))
        obstacle = obstacle_of(limits, kernel, shape, settings, registers, shared, barriers, by_virtual);
    const int blocks = obstacle == launch_obstacle::none ? lowest : 0;
    const auto limiting = [&](int limit, resource which) {
        return static_cast<unsigned>(limit == blocks) << static_cast<int>(which);
    };
    // Constructed with every member at once: clearing a result first would cost as much as the model itself.
    return {.resident_blocks = blocks,
            .resident_warps = blocks * warps,
            .warp_slots = limits.warps_per_sm(),
            .obstacle = obstacle,
            .warps = by_warps,
            .block_slots = limits.blocks_per_sm,
            .registers = registers,
            .shared = shared,
            .barriers = barriers,
            .virtual_resources = by_virtual,
            .limiters = {limiting(by_warps.blocks, resource::warps) | limiting(limits.blocks_per_sm, resource::blocks) |
                         limiting(registers.blocks, resource::registers) | limiting(shared.blocks, resource::shared) |
                         limiting(barriers.blocks, resource::barriers) |
                         limiting(by_virtual, resource::virtual_resources)}};
}

}  // namespace launchbox::detail
