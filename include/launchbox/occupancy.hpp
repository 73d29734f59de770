// launchbox: how many blocks of a kernel are resident on one SM, what limits them, and what would change it.
// SPDX-License-Identifier: Apache-2.0
//
//     constexpr launchbox::kernel_resources kernel{.registers = 40, .static_shared_bytes = 8192};
//     static_assert(launchbox::resident_blocks(launchbox::sm_90, kernel, {.threads = 256}) >= 6);
// Equals cuda_occupancy.h of CUDA 13.0 on every compute capability that it supports, except where that header is wrong;
// docs/how_we_know.md names each exception. On 2.x it equals the header of CUDA 7.0. Nothing here allocates or throws.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <launchbox/detail/model/allowance.hpp>
#include <launchbox/detail/model/residency.hpp>
#include <launchbox/occupancy_input.hpp>
#include <launchbox/occupancy_result.hpp>
#include <launchbox/sm_limits.hpp>

namespace launchbox {

/// Blocks of this shape that one SM holds at once; 0 if the block cannot be launched. The fast query. In spreadsheet
/// mode `limits.spreadsheet` must have a row; otherwise the result is 0.
constexpr int resident_blocks(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape,
                              const launch_settings& settings)
{
    return detail::quick_resident_blocks(limits, kernel, shape, settings);
}

/// The same for a launch with default settings.
constexpr int resident_blocks(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape)
{
    return detail::quick_resident_blocks(limits, kernel, shape, launch_settings{});
}

/// The explained query: every limit with its inputs and rounding, the limiters, and why a block cannot be launched.
/// `allowance` shows what would change the result.
constexpr occupancy_result occupancy(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape,
                                     const launch_settings& settings = {})
{
    const bool answerable = settings.mode == model_mode::driver || limits.spreadsheet;
    if (!answerable || !detail::is_valid(kernel, shape, settings)) [[unlikely]]
        return {.warp_slots = limits.warps_per_sm(),
                .obstacle = launch_obstacle::negative_input,
                .block_slots = limits.blocks_per_sm};
    return detail::account_of(limits, kernel, shape, std::min(shape.threads, 1 << 20), settings);
}

/// The largest value of each resource with which `blocks` blocks of this kernel and shape are resident. For
/// `resident_blocks` + 1 these are the thresholds for one more block; for `resident_blocks`, how far each resource can
/// grow before a block is lost. All are `nullopt` for fewer than one block or more than the SM's block slots.
constexpr resource_allowance allowance(const sm_limits& limits, const kernel_resources& kernel,
                                       const launch_shape& shape, int blocks, const launch_settings& settings = {})
{
    resource_allowance result{.blocks = blocks};
    const bool answerable = settings.mode == model_mode::driver || limits.spreadsheet;
    if (!answerable || !detail::is_valid(kernel, shape, settings) || blocks < 1 || blocks > limits.blocks_per_sm)
        return result;
    const int warps = detail::warps_of(std::min(shape.threads, 2 * max_threads_per_block));
    const shared_limit now = detail::shared_limit_of(limits, detail::bounded(kernel.static_shared_bytes),
                                                     detail::bounded(shape.dynamic_shared_bytes), settings);
    result.threads = detail::largest_threads(limits, kernel, blocks, settings);
    result.registers = detail::largest_registers(limits, warps, blocks, settings);
    result.shared_bytes = detail::largest_shared(limits, kernel, now, blocks, settings);
    result.barriers = detail::largest_barriers(limits, blocks, settings.mode);
    return result;
}

/// The most dynamic shared memory, in bytes, with which `blocks` blocks of `threads` threads are resident; `nullopt` if
/// other resources allow fewer blocks. With it as `dynamic_shared_bytes`, at least `blocks` blocks are resident. The
/// result of cudaOccupancyAvailableDynamicSMemPerBlock does not ensure that: from 8.0 on, for two or more blocks, it
/// ignores the reserve of each block (measured on an H200: for 2, 3, 4, 8, 16 blocks, 1, 2, 3, 7, 14 are resident).
constexpr std::optional<std::int64_t> available_dynamic_shared(const sm_limits& limits, const kernel_resources& kernel,
                                                               int threads, int blocks,
                                                               const launch_settings& settings = {})
{
    if (blocks < 1 || resident_blocks(limits, kernel, {.threads = threads}, settings) < blocks) return std::nullopt;
    const shared_limit now = detail::shared_limit_of(limits, detail::bounded(kernel.static_shared_bytes), 0, settings);
    const std::optional<std::int64_t> total = detail::largest_shared(limits, kernel, now, blocks, settings);
    if (!total || *total < kernel.static_shared_bytes) return std::nullopt;
    return *total - kernel.static_shared_bytes;
}

}  // namespace launchbox
