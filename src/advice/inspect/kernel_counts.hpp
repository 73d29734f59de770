// Counts kernels as people do: a kernel compiled for three architectures counts once, and so does a template with all
// its instances.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

struct kernel_counts {
    std::size_t kernels = 0;        ///< functions and templates
    std::size_t instances = 0;      ///< with each instance of a template counted
    std::size_t architectures = 0;  ///< of compiled code
    std::size_t compiled = 0;       ///< instances per architecture, including copies
    std::size_t ptx = 0;            ///< the same for PTX
};

kernel_counts count_kernels(const std::vector<const inspected_kernel*>& kernels);

}  // namespace launchbox
