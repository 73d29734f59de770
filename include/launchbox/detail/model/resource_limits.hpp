// launchbox: the arithmetic of each limit, once, for the quick query and for the explained one. Internal: include
// occupancy.hpp.
// SPDX-License-Identifier: Apache-2.0
//
// Every function returns the whole account of its limit. The quick query reads only `.blocks`, and the compiler drops
// the rest, which is why the functions are always inlined.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <launchbox/launch_bounds.hpp>
#include <launchbox/occupancy_input.hpp>
#include <launchbox/occupancy_result.hpp>
#include <launchbox/sm_limits.hpp>

namespace launchbox::detail {

// Units and partitions are powers of two, which saves a division.
constexpr int align_up(int value, int power_of_two)
{
    return (value + power_of_two - 1) & -power_of_two;
}
constexpr int align_down(int value, int power_of_two)
{
    return value & -power_of_two;
}

// For numbers that are not negative: processors divide unsigned numbers faster.
constexpr int quotient(int value, int divisor)
{
    return static_cast<int>(static_cast<unsigned>(value) / static_cast<unsigned>(divisor));
}

// CUDA 7.0's cuda_occupancy.h doubles the unit for these counts on 2.x ("Fermi requires special handling").
constexpr bool is_doubled_on_fermi(int registers)
{
    return (registers >= 21 && registers <= 46) && (registers - 21) % 8 < 2;
}

constexpr int registers_of_warp(const sm_limits& limits, int registers, model_mode mode)
{
    const bool doubled = limits.capability.major == 2 && mode == model_mode::driver && is_doubled_on_fermi(registers);
    return align_up(registers * warp_size, doubled ? 2 * limits.register_unit : limits.register_unit);
}

constexpr register_limit register_limit_in_spreadsheet(const sm_limits& limits, int registers, int warps)
{
    const spreadsheet_limits& sheet = *limits.spreadsheet;
    register_limit result{.per_thread = registers};
    result.per_warp = registers_of_warp(limits, registers, model_mode::spreadsheet);
    result.per_block = result.per_block_checked = result.per_warp * warps;
    if (registers == 0) {
        result.blocks = unlimited;
    } else if (registers <= limits.registers_per_thread) {
        // The sheet fills one block's worth of registers and multiplies by how often the SM has that many.
        const int files = limits.registers_per_sm / sheet.registers_per_block;
        const int warps_in_file = round_down(sheet.registers_per_block / result.per_warp, sheet.warp_granularity);
        result.warps_per_sm = warps_in_file * files;
        result.blocks = warps_in_file / warps * files;
    }
    return result;
}

// `warps` is at least 1 and `registers` within what a launch accepts or the result is 0 blocks.
[[gnu::always_inline]] constexpr register_limit register_limit_on(const sm_limits& limits, int registers, int warps,
                                                                  global_caching caching)
{
    const int sub_partitions = limits.sub_partitions;
    register_limit result{.per_thread = registers, .caching = caching};
    result.per_warp = registers_of_warp(limits, registers, model_mode::driver);
    result.per_block = result.per_warp * warps;
    result.per_block_checked = result.per_warp * align_up(warps, sub_partitions);
    if (registers == 0) {
        result.blocks = unlimited;
        return result;
    }
    result.warps_per_partition = quotient(limits.registers_per_sm, sub_partitions * result.per_warp);
    result.warps_per_sm = result.warps_per_partition * sub_partitions;
    if (result.per_block_checked > limits.registers_per_block || registers > limits.launchable_registers) return result;

    if (caching != global_caching::off) {
        result.blocks = 2 * (result.warps_per_partition * (sub_partitions / 2) / warps);
        if (result.blocks > 0 || caching == global_caching::strict) return result;
        result.caching = global_caching::off;  // the block fits no half: the device runs it without caching
    }
    result.blocks = quotient(result.warps_per_sm, warps);
    return result;
}

constexpr bool is_gp100(const sm_limits& limits)
{
    return limits.capability.major == 6 && limits.capability.minor == 0;
}

// The launch check rounds the warps of a block up to a multiple of this. GP100 is checked like the rest of its family.
constexpr int launch_check_partitions(const sm_limits& limits)
{
    return is_gp100(limits) ? 4 : limits.sub_partitions;
}

[[gnu::always_inline]] constexpr register_limit register_limit_of(const sm_limits& limits, int registers, int warps,
                                                                  const launch_settings& settings)
{
    if (settings.mode == model_mode::spreadsheet) return register_limit_in_spreadsheet(limits, registers, warps);
    const global_caching caching = limits.partitioned_global_caching ? settings.caching : global_caching::off;
    register_limit result = register_limit_on(limits, registers, warps, caching);
    // A kernel that no other Pascal could run does not run on GP100 either, although its two larger partitions could
    // hold it: the driver keeps the family compatible.
    if (is_gp100(limits) && registers > 0 &&
        (result.per_warp * align_up(warps, 4) > limits.registers_per_block ||
         limits.registers_per_sm / (4 * result.per_warp) * 4 < warps))
        result.blocks = 0;
    return result;
}

[[gnu::always_inline]] constexpr warp_limit warp_limit_of(const sm_limits& limits, int threads, int warps,
                                                          global_caching caching)
{
    warp_limit result{
        .warps_per_block = warps, .warp_slots = limits.warps_per_sm(), .idle_lanes = warps * warp_size - threads};
    if (threads > max_threads_per_block) return result;
    const bool in_halves = caching != global_caching::off;
    result.blocks = in_halves ? 2 * (result.warp_slots / 2 / warps) : quotient(result.warp_slots, warps);
    return result;
}

// The smallest size of at least `bytes` that the SM can be set to; the largest if there is none.
constexpr int configured_size(const sm_limits& limits, int bytes)
{
    for (int size : limits.shared_sizes.sizes())
        if (size >= bytes) return size;
    return limits.shared_per_sm;
}

// The shared memory that the carveout or cache preference asks for. Sources: cuda_occupancy.h; 12 of 12 carveouts on an
// H200.
constexpr int preferred_shared(const sm_limits& limits, const launch_settings& settings)
{
    const int major = limits.capability.major;
    if (major >= 7) {
        int percent = settings.carveout_percent;
        if (percent < 0) {
            if (settings.cache == cache_preference::none) return limits.shared_per_sm;
            percent = settings.cache == cache_preference::l1 ? 0 : settings.cache == cache_preference::equal ? 50 : 100;
        }
        return configured_size(limits, percent * limits.shared_per_sm / 100);
    }
    if (major == 3 && settings.cache == cache_preference::l1) return limits.shared_per_sm - 32768;
    if (major == 3 && settings.cache == cache_preference::equal) return limits.shared_per_sm - 16384;
    if (major == 2 && settings.cache == cache_preference::l1) return 16384;
    return limits.shared_per_sm;
}

// No SM can hold sizes and counts above these; limiting them keeps every sum far from overflow and changes no answer.
constexpr std::int64_t bounded(std::int64_t bytes)
{
    return std::min<std::int64_t>(bytes, 1 << 30);
}
constexpr int bounded_count(int count)
{
    return std::min(count, 1 << 12);
}

constexpr int max_shared_of_block(const sm_limits& limits, std::int64_t static_bytes, const launch_settings& settings)
{
    const int reserved = limits.reserved_shared_per_block;
    const bool opted_in =
        settings.max_dynamic_shared_bytes &&
        static_bytes + reserved + bounded(*settings.max_dynamic_shared_bytes) > limits.shared_per_block;
    return (opted_in ? limits.shared_per_block_opt_in : limits.shared_per_block) + reserved;
}

// What the SM offers to blocks of `allocated` bytes. A preference that is too small for one block is raised: from 7.0
// on to the next size, before 7.0 to the largest.
constexpr int offered_shared(const sm_limits& limits, int preferred, int allocated)
{
    if (preferred >= allocated) return preferred;
    return limits.capability.major >= 7 ? configured_size(limits, allocated) : limits.shared_per_sm;
}

[[gnu::always_inline]] constexpr shared_limit shared_limit_of(const sm_limits& limits, std::int64_t static_bytes,
                                                              std::int64_t dynamic_bytes,
                                                              const launch_settings& settings)
{
    shared_limit result{.static_bytes = static_bytes,
                        .dynamic_bytes = dynamic_bytes,
                        .reserved_bytes = limits.reserved_shared_per_block};
    result.allocated = (result.used() + limits.shared_unit - 1) & -static_cast<std::int64_t>(limits.shared_unit);
    result.preferred = preferred_shared(limits, settings);
    result.per_block_maximum = settings.mode == model_mode::spreadsheet
                                   ? result.preferred
                                   : max_shared_of_block(limits, static_bytes, settings);
    const bool over_dynamic_limit = settings.mode == model_mode::driver && settings.max_dynamic_shared_bytes &&
                                    dynamic_bytes > *settings.max_dynamic_shared_bytes;
    if (over_dynamic_limit || result.allocated > result.per_block_maximum) return result;

    const int allocated = static_cast<int>(result.allocated);
    result.offered = offered_shared(limits, result.preferred, allocated);
    result.blocks = allocated == 0 ? unlimited : quotient(result.offered, allocated);
    return result;
}

constexpr barrier_limit barrier_limit_of(const sm_limits& limits, int barriers, model_mode mode)
{
    barrier_limit result{.blocks = unlimited, .per_block = barriers};
    if (mode == model_mode::driver) result.per_sm = limits.barriers_per_sm;
    if (result.per_sm && barriers > 0) result.blocks = quotient(*result.per_sm, barriers);
    return result;
}

// The most blocks that a cluster can have; `unlimited` if that is not known or not checked.
constexpr int max_cluster_of(const sm_limits& limits, model_mode mode, bool non_portable)
{
    if (mode == model_mode::spreadsheet) return unlimited;
    if (limits.portable_cluster == 0) return 1;
    return (non_portable ? limits.non_portable_cluster : limits.portable_cluster).value_or(unlimited);
}

constexpr bool is_cluster_allowed(const sm_limits& limits, const launch_shape& shape, const launch_settings& settings)
{
    return shape.cluster_blocks <= 1 ||
           shape.cluster_blocks <= max_cluster_of(limits, settings.mode, settings.non_portable_clusters);
}

constexpr int virtual_limit_of(const sm_limits& limits, const launch_settings& settings)
{
    if (limits.virtual_resources_per_sm == 0 || settings.virtual_resources <= 0) return unlimited;
    return limits.virtual_resources_per_sm / settings.virtual_resources;
}

}  // namespace launchbox::detail
