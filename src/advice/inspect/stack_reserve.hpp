// How much of a GPU's memory the driver sets aside for the stacks of a program's kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "advice/model/gpu_models.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// Local memory is set aside for every thread that can be resident on the GPU, with the deepest stack of all kernels.
struct stack_reserve {
    gpu_model gpu;
    std::int64_t stack_bytes = 0;  ///< per thread, of the deepest
    std::int64_t threads = 0;      ///< of all SMs
    std::size_t kernel = 0;        ///< whose stack that is
    bool unbounded = false;        ///< some kernel's stack has no known limit, and it can be more

    [[nodiscard]] std::int64_t bytes() const { return stack_bytes * threads; }
};

/// For each model that can run one of these cubins' kernels; kernels of which the stack is not known do not count.
/// Models for which nothing is set aside beyond the driver's own are there too.
std::vector<stack_reserve> stack_reserves(const std::vector<const kernel_info*>& kernels);

}  // namespace launchbox
