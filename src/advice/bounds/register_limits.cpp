// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/register_limits.hpp"

#include <fmt/format.h>

#include <numeric>

#include "support/text/terminal.hpp"

namespace launchbox {

std::vector<bound_limit> limits_of_bounds(const sm_limits& limits, int threads, std::vector<int> min_blocks)
{
    if (min_blocks.empty()) {
        min_blocks.resize(static_cast<std::size_t>(max_legal_min_blocks(limits, threads)));
        std::iota(min_blocks.begin(), min_blocks.end(), 1);
    }
    std::vector<bound_limit> bounds;
    for (const int blocks : min_blocks) {
        bounds.push_back({.min_blocks = blocks,
                          .verdict = check_launch_bounds(limits, threads, blocks),
                          .registers = register_cap(limits, threads, blocks)});
        bound_limit& bound = bounds.back();
        if (bound.registers)
            bound.occupancy = static_cast<double>(blocks * detail::warps_of(threads)) / limits.warps_per_sm();
    }
    return bounds;
}

std::string why_ignored(const sm_limits& limits, int threads, const bound_limit& bound)
{
    const int warps = detail::warps_of(threads);
    switch (bound.verdict) {
        case launch_bounds_verdict::honoured:
            return {};
        case launch_bounds_verdict::threads_not_positive:
            return "a block has at least one thread";
        case launch_bounds_verdict::too_many_threads:
            return fmt::format("the SM has {} threads", with_commas(limits.threads_per_sm));
        case launch_bounds_verdict::too_many_blocks:
            return fmt::format("the SM has {} block slots", limits.blocks_per_sm);
        case launch_bounds_verdict::too_many_warps_per_sm:
            return fmt::format("{} × {} = {} warps, and the SM has {} warp slots", bound.min_blocks, warps,
                               bound.min_blocks * warps, limits.warps_per_sm());
    }
    return {};
}

}  // namespace launchbox
