// One attribute for a source that is compiled for several architectures, each of which wants its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "image/launch_attribute.hpp"

namespace launchbox {

/// What one architecture wants.
struct architecture_bound {
    compute_capability architecture;
    launch_attribute attribute;
};

struct portable_bounds {
    int threads = 0;                 ///< the block size that it is for, on every architecture
    std::string attribute;           ///< "__launch_bounds__(256, 2)" or "MERGE_BOUNDS"; empty: none
    std::vector<std::string> lines;  ///< the macro that `attribute` names; empty: it names none
    std::vector<std::string> rows;  ///< of a launch box, as comments: "// sm<90, row{.threads = 256, .min_blocks = 2}>"
    std::vector<std::string> notes = {};  ///< what a reader must know
};

/// The attribute for blocks of `threads` threads. When all want the same, that; else a macro on __CUDA_ARCH__ in which
/// an architecture that is not in `wanted` gets the bound of the newest one in it that is not newer, where ptxas
/// honours that, and __launch_bounds__(threads) otherwise and before the oldest. Numbers that no table row has (chips
/// to come) get a bound only when every known architecture from the oldest in `wanted` on honours it. `wanted` is not
/// empty.
portable_bounds portable_bounds_for(std::string_view kernel, int threads, std::vector<architecture_bound> wanted);

/// The same from the answers for one kernel: for the block size with fewest spills over all of them, then most
/// occupancy. `nullopt` for a single architecture, and where no block size has a recommendation for all.
std::optional<portable_bounds> portable_bounds_of(const std::vector<const bounds_answer*>& answers);

/// "merge_tiles<int, 256>" as "MERGE_TILES_BOUNDS".
std::string bounds_macro_name(std::string_view kernel);

}  // namespace launchbox
