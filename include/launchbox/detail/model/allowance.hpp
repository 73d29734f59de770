// launchbox: the inverse of the limits: the largest value of each resource that keeps a number of blocks resident.
// Internal: include occupancy.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <launchbox/detail/model/resource_limits.hpp>

namespace launchbox::detail {

// The largest value in [low, high] for which `holds` is true. It must be true up to some value and false above it;
// nullopt if it never is.
template <class Predicate>
constexpr std::optional<int> largest_with(int low, int high, const Predicate& holds)
{
    if (low > high || !holds(low)) return std::nullopt;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (holds(middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Whether the register limit has a simple inverse. If not (2.x with its doubled units, partitioned caching, the
// spreadsheet), the largest value is searched.
constexpr bool has_plain_registers(const sm_limits& limits, const launch_settings& settings)
{
    return settings.mode == model_mode::driver && limits.capability.major > 2 &&
           (settings.caching == global_caching::off || !limits.partitioned_global_caching);
}

constexpr int registers_for(const sm_limits& limits, int warps, int blocks, int sub_partitions)
{
    const int resident = limits.registers_per_sm / sub_partitions / divide_up(blocks * warps, sub_partitions);
    const int checked = limits.registers_per_block / align_up(warps, sub_partitions);
    return align_down(std::min(resident, checked), limits.register_unit) / warp_size;
}

constexpr std::optional<int> largest_registers(const sm_limits& limits, int warps, int blocks,
                                               const launch_settings& settings)
{
    if (!has_plain_registers(limits, settings))
        return largest_with(1, limits.registers_per_thread, [&](int registers) {
            return register_limit_of(limits, registers, warps, settings).blocks >= blocks;
        });
    int result = std::min(limits.registers_per_thread, registers_for(limits, warps, blocks, limits.sub_partitions));
    if (is_gp100(limits)) result = std::min(result, registers_for(limits, warps, 1, 4));
    return result > 0 ? std::optional(result) : std::nullopt;
}

constexpr std::optional<int> largest_threads(const sm_limits& limits, const kernel_resources& kernel, int blocks,
                                             const launch_settings& settings)
{
    const int bound = settings.mode == model_mode::driver ? std::min(kernel.max_threads, max_threads_per_block)
                                                          : max_threads_per_block;
    const int registers = bounded_count(kernel.registers);
    std::optional<int> warps;
    if (has_plain_registers(limits, settings)) {
        int max_warps = std::min(max_threads_per_block / warp_size, limits.warps_per_sm() / blocks);
        if (registers > limits.launchable_registers)
            max_warps = 0;
        else if (registers > 0) {
            const auto fits = [&](int in_sm, int sub_partitions) {
                const int per_warp = registers_of_warp(limits, registers, settings.mode);
                const int of_block = align_down(limits.registers_per_block / per_warp, sub_partitions);
                const int of_sm = limits.registers_per_sm / (sub_partitions * per_warp) * sub_partitions;
                return std::min(of_block, of_sm / in_sm);
            };
            max_warps = std::min(max_warps, fits(blocks, limits.sub_partitions));
            if (is_gp100(limits)) max_warps = std::min(max_warps, fits(1, 4));
        }
        if (max_warps > 0) warps = max_warps;
    } else {
        warps = largest_with(1, max_threads_per_block / warp_size, [&](int count) {
            const register_limit by_registers = register_limit_of(limits, registers, count, settings);
            return by_registers.blocks >= blocks &&
                   warp_limit_of(limits, count * warp_size, count, by_registers.caching).blocks >= blocks;
        });
    }
    if (!warps || bound < 1) return std::nullopt;
    return std::min(*warps * warp_size, bound);
}

// `now` is the present account. Before 7.0 a cache preference that is too small for one block is replaced by all of the
// shared memory, so that just above it more blocks fit than just below. The answer stays on the block's side of it.
constexpr std::optional<std::int64_t> largest_shared(const sm_limits& limits, const kernel_resources& kernel,
                                                     const shared_limit& now, int blocks,
                                                     const launch_settings& settings)
{
    // Carveout 0 % still leaves the smallest size.
    const int offered = now.preferred > 0 ? now.preferred : configured_size(limits, 1);
    int max_bytes = blocks == 1 ? limits.shared_per_sm : align_down(offered / blocks, limits.shared_unit);
    if (limits.capability.major < 7 && now.allocated > now.preferred) {
        const int above = align_down(limits.shared_per_sm / blocks, limits.shared_unit);
        if (above > now.preferred) max_bytes = above;
    }
    max_bytes = std::min(max_bytes, align_down(now.per_block_maximum, limits.shared_unit));

    std::int64_t bytes = max_bytes - now.reserved_bytes;
    if (settings.mode == model_mode::driver && settings.max_dynamic_shared_bytes)
        bytes = std::min(bytes, bounded(kernel.static_shared_bytes) + bounded(*settings.max_dynamic_shared_bytes));
    return bytes >= 0 ? std::optional(bytes) : std::nullopt;
}

constexpr std::optional<int> largest_barriers(const sm_limits& limits, int blocks, model_mode mode)
{
    if (mode == model_mode::spreadsheet || !limits.barriers_per_sm) return max_barriers_per_block;
    return std::min(max_barriers_per_block, *limits.barriers_per_sm / blocks);
}

}  // namespace launchbox::detail
