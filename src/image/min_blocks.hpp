// Recovers the second launch bound, which no cubin contains.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

/// Fills `min_blocks` for the kernels of cubins, and removes PTX kernels that a cubin has as well. The bound is exact
/// if the PTX that the cubin was compiled from is available, and inferred if only PTX for another virtual architecture,
/// PTX of another container, or the register cap is known. `kernels`: those of each image. `container_of`: the
/// container of each image: PTX of the same one is preferred, since different sources may have kernels of the same
/// name. `jobs`: threads; 0: one per core. `keep_ptx`: keep PTX kernels.
void add_min_blocks(std::vector<std::vector<kernel_info>>& kernels, const std::vector<std::size_t>& container_of,
                    unsigned jobs = 1, bool keep_ptx = false);

}  // namespace launchbox
