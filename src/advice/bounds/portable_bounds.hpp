// One attribute for a source that is compiled for several architectures which need different ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "image/launch_attribute.hpp"

namespace launchbox {

/// The attribute for one architecture.
struct architecture_bound {
    compute_capability architecture;
    launch_attribute attribute;
};

struct portable_bounds {
    int threads = 0;                 ///< its block size, on every architecture
    std::string attribute;           ///< "__launch_bounds__(256, 2)" or "MERGE_BOUNDS"; empty if none
    std::vector<std::string> lines;  ///< the macro named in `attribute`; empty if it names none
    std::vector<std::string> rows;  ///< of a launch box, as comments: "// sm<90, row{.threads = 256, .min_blocks = 2}>"
    std::vector<std::string> notes = {};  ///< remarks
};

/// The attribute for blocks of `threads` threads. If all architectures want the same, that one; else a macro on
/// __CUDA_ARCH__, in which an architecture missing from `wanted` gets the bound of the newest one in it that is not
/// newer, if ptxas honours that, and __launch_bounds__(threads) otherwise and before the oldest. Numbers without a
/// table row (future chips) get a bound only if every known architecture from the oldest in `wanted` on honours it.
/// `wanted` must not be empty.
portable_bounds portable_bounds_for(std::string_view kernel, int threads,
                                    const std::vector<architecture_bound>& wanted);

/// The same from the answers for one kernel: for the block size with the fewest spills over all of them, then the
/// highest occupancy. `nullopt` for a single architecture, and if no block size has a recommendation for all.
std::optional<portable_bounds> portable_bounds_of(const std::vector<const bounds_answer*>& answers);

/// "merge_tiles<int, 256>" as "MERGE_TILES_BOUNDS".
std::string bounds_macro_name(std::string_view kernel);

}  // namespace launchbox
