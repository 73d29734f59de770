// The second launch bound, which no cubin has.
#pragma once

#include <cstddef>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

/// Fills `min_blocks` of the kernels from cubins and takes out those kernels from PTX that a cubin has as well. The
/// bound is exact where the PTX that the cubin was compiled from is there, and inferred where PTX for another virtual
/// architecture, PTX of another container, or only the register cap tells of it. `container_of` has the container of
/// each kernel: PTX of the same one counts most, since different sources can have kernels of the same name.
void add_min_blocks(std::vector<kernel_info>& kernels, const std::vector<std::size_t>& container_of);

}  // namespace launchbox
