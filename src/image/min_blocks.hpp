// The second launch bound, which no cubin has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

/// Fills `min_blocks` of the kernels of cubins and takes out those of PTX that a cubin has as well. The bound is exact
/// where the PTX that the cubin was compiled from is there, and inferred where PTX for another virtual architecture,
/// PTX of another container, or only the register cap tells of it. `kernels` has those of each image, `container_of`
/// the container of each: PTX of the same one counts most, since different sources can have kernels of the same name.
/// `jobs`: threads; 0: one a core. `keep_ptx`: leave those of PTX where they are.
void add_min_blocks(std::vector<std::vector<kernel_info>>& kernels, const std::vector<std::size_t>& container_of,
                    unsigned jobs = 1, bool keep_ptx = false);

}  // namespace launchbox
