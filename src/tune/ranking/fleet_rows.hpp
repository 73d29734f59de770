// Several GPUs, one table: the fewest rows with which none loses more than is accepted, each found by architecture and,
// within one, by what the GPU says of itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>
#include <launchbox/detail/launch_box/row_rules.hpp>

#include <cstddef>
#include <vector>

#include "tune/ranking/portability.hpp"

namespace launchbox {

/// The properties by which a row is selected. The L2 is 0 if it was not recorded.
struct fleet_gpu {
    compute_capability architecture;
    detail::gpu_properties properties = {};
};

struct fleet_row {
    std::size_t row = 0;              ///< place in the rows
    compute_capability architecture;  ///< code for it and later ones has this row, until the next architecture with one
    std::vector<std::size_t> gpus;    ///< that have it: places
    std::vector<gpu_range> ranges = {};  ///< that hold for them, and for no GPU with another row
    bool is_last_resort = false;         ///< for every GPU without another row
};

/// As a table has them: of each architecture the last resort first. `fences`: architectures of rows that stay in the
/// table: no row here may serve GPUs on both sides of one. A GPU that says the same of itself as another one has the
/// same row, even where it loses more with it. Throws `error` where no candidate was measured on both.
std::vector<fleet_row> fewest_fleet_rows(const std::vector<portable_row>& rows, const std::vector<fleet_gpu>& gpus,
                                         double within, const std::vector<compute_capability>& fences);

/// The part of the ranges that holds for GPUs such as this one alone: the same number of SMs, and the same memory
/// within a fourteenth (error correction on or off).
std::vector<gpu_range> narrowed(std::vector<gpu_range> ranges, const detail::gpu_properties& properties);

}  // namespace launchbox
