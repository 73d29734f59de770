// launchbox: what `__launch_bounds__(threads, min_blocks)` and register counts mean to ptxas and to a launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include <launchbox/sm_limits.hpp>

namespace launchbox {

/// What ptxas does with a pair (threads, min_blocks). A minimum that it cannot honour is dropped whole, never reduced,
/// with one line of warning; registers are then capped as if only `threads` had been given. The front end, which runs
/// before ptxas and knows no limits of an architecture, has used it: the code is not always that of `threads` alone.
enum class launch_bounds_verdict {
    honoured,
    threads_not_positive,   ///< nvcc drops the bound without a word
    too_many_threads,       ///< more than the SM has threads: the whole bound is dropped
    too_many_blocks,        ///< min_blocks above the block slots of the SM: min_blocks is dropped
    too_many_warps_per_sm,  ///< min_blocks blocks of `threads` exceed the warp slots: min_blocks is dropped
};

namespace detail {

constexpr int round_up(int value, int unit)
{
    return (value + unit - 1) / unit * unit;
}
constexpr int round_down(int value, int unit)
{
    return value / unit * unit;
}
constexpr int divide_up(int value, int divisor)
{
    return (value + divisor - 1) / divisor;
}
constexpr int warps_of(int threads)
{
    return divide_up(threads, warp_size);
}

}  // namespace detail

/// What ptxas does with `__launch_bounds__(threads, min_blocks)`; `min_blocks` 0 stands for the one-argument form.
/// Threads count in whole warps: (65, 22) on 9.0 is 66 warps and dropped. Measured with ptxas 13.0.
constexpr launch_bounds_verdict check_launch_bounds(const sm_limits& limits, int threads, int min_blocks = 0)
{
    if (threads <= 0) return launch_bounds_verdict::threads_not_positive;
    if (min_blocks > 0 && min_blocks > limits.blocks_per_sm) return launch_bounds_verdict::too_many_blocks;
    if (threads > limits.threads_per_sm) return launch_bounds_verdict::too_many_threads;
    if (min_blocks > 0 && detail::warps_of(threads) > limits.warps_per_sm() / min_blocks)
        return launch_bounds_verdict::too_many_warps_per_sm;
    return launch_bounds_verdict::honoured;
}

/// The largest `min_blocks` that ptxas honours with `threads`; 0 when there is none (threads < 1, or over what the SM
/// has).
constexpr int max_legal_min_blocks(const sm_limits& limits, int threads)
{
    if (threads < 1 || threads > limits.threads_per_sm) return 0;
    return std::min(limits.blocks_per_sm, limits.warps_per_sm() / detail::warps_of(threads));
}

/// The most registers per thread with which `blocks` blocks of `threads` threads are resident by registers alone, and
/// which ptxas therefore takes as its cap for a bound (threads, blocks): at most `registers_per_thread`. Registers are
/// shared out per sub-partition, so whole warps per sub-partition count: (288, 1) gives 168, not 224.
/// `nullopt` where ptxas drops the bound. Equal to what ptxas 13.0 stores in the cubin for every legal pair.
constexpr std::optional<int> register_cap(const sm_limits& limits, int threads, int min_blocks = 1)
{
    min_blocks = std::max(min_blocks, 1);
    if (check_launch_bounds(limits, threads, min_blocks) != launch_bounds_verdict::honoured) return std::nullopt;
    const int warps_per_partition = detail::divide_up(min_blocks * detail::warps_of(threads), limits.sub_partitions);
    const int registers_per_warp = limits.registers_per_sm / limits.sub_partitions / warps_per_partition;
    return std::min(limits.registers_per_thread,
                    detail::round_down(registers_per_warp, limits.register_unit) / warp_size);
}

/// The largest `min_blocks` for which ptxas would have set this cap: what a binary still tells of the second launch
/// bound. `nullopt` when no bound with these threads gives the cap.
constexpr std::optional<int> infer_min_blocks(const sm_limits& limits, int threads, int cap)
{
    for (int blocks = max_legal_min_blocks(limits, threads); blocks >= 1; --blocks)
        if (register_cap(limits, threads, blocks) == cap) return blocks;
    return std::nullopt;
}

}  // namespace launchbox
