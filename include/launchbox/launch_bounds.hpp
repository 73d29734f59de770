// launchbox: how ptxas interprets `__launch_bounds__(threads, min_blocks)`, and the register caps that follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include <launchbox/sm_limits.hpp>

namespace launchbox {

/// What ptxas does with a pair (threads, min_blocks). A min_blocks that it cannot honour is ignored, not reduced, with
/// a one-line warning; registers are then capped as if only `threads` had been given. The front end, which runs before
/// ptxas and does not check an architecture's limits, has already used it, so the code may differ from that with
/// `threads` alone.
enum class launch_bounds_verdict {
    honoured,
    threads_not_positive,   ///< nvcc drops the bound without a warning
    too_many_threads,       ///< more than the threads of the SM: the whole bound is ignored
    too_many_blocks,        ///< min_blocks above the block slots of the SM: min_blocks is ignored
    too_many_warps_per_sm,  ///< min_blocks blocks of `threads` exceed the warp slots: min_blocks is ignored
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
/// Threads count in whole warps: (65, 22) on 9.0 is 66 warps and is ignored. Measured with ptxas 13.0.
constexpr launch_bounds_verdict check_launch_bounds(const sm_limits& limits, int threads, int min_blocks = 0)
{
    if (threads <= 0) return launch_bounds_verdict::threads_not_positive;
    if (min_blocks > 0 && min_blocks > limits.blocks_per_sm) return launch_bounds_verdict::too_many_blocks;
    if (threads > limits.threads_per_sm) return launch_bounds_verdict::too_many_threads;
    if (min_blocks > 0 && detail::warps_of(threads) > limits.warps_per_sm() / min_blocks)
        return launch_bounds_verdict::too_many_warps_per_sm;
    return launch_bounds_verdict::honoured;
}

/// The largest `min_blocks` that ptxas honours with `threads`; 0 if there is none (threads < 1, or above the threads of
/// the SM).
constexpr int max_legal_min_blocks(const sm_limits& limits, int threads)
{
    if (threads < 1 || threads > limits.threads_per_sm) return 0;
    return std::min(limits.blocks_per_sm, limits.warps_per_sm() / detail::warps_of(threads));
}

/// The most registers per thread that still allow `min_blocks` resident blocks of `threads` threads: the cap that ptxas
/// sets for a bound (threads, min_blocks). At most `registers_per_thread`. Registers are allocated per sub-partition,
/// so whole warps per sub-partition count: (288, 1) gives 168, not 224. `nullopt` if ptxas ignores the bound. Equals
/// the cap that ptxas 13.0 stores in the cubin for every legal pair.
constexpr std::optional<int> register_cap(const sm_limits& limits, int threads, int min_blocks = 1)
{
    min_blocks = std::max(min_blocks, 1);
    if (check_launch_bounds(limits, threads, min_blocks) != launch_bounds_verdict::honoured) return std::nullopt;
    const int warps_per_partition = detail::divide_up(min_blocks * detail::warps_of(threads), limits.sub_partitions);
    const int registers_per_warp = limits.registers_per_sm / limits.sub_partitions / warps_per_partition;
    return std::min(limits.registers_per_thread,
                    detail::round_down(registers_per_warp, limits.register_unit) / warp_size);
}

/// The largest `min_blocks` for which ptxas would have set this cap: all that can be inferred about the second launch
/// bound from a binary. `nullopt` if no bound with these threads gives the cap.
constexpr std::optional<int> infer_min_blocks(const sm_limits& limits, int threads, int cap)
{
    for (int blocks = max_legal_min_blocks(limits, threads); blocks >= 1; --blocks)
        if (register_cap(limits, threads, blocks) == cap) return blocks;
    return std::nullopt;
}

}  // namespace launchbox
