// Launch bounds for figures that the user names, without a source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/bounds/register_limits.hpp"
#include "app/architectures.hpp"

namespace launchbox {

struct figure_bounds_request {
    architecture_list architectures;  ///< empty: that of the GPU here
    std::vector<int> threads;         ///< block sizes
    std::vector<int> min_blocks;      ///< empty: each that ptxas honours
};

/// For each block size on each chip.
std::vector<register_limits> bounds_of_figures(const figure_bounds_request& request);

}  // namespace launchbox
