// How much of a GPU's memory the driver sets aside for the stacks of a program's kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/model/gpu_models.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// A kernel in one image.
struct stack_user {
    std::string_view identity;  ///< equal for the same kernel in images for several architectures
    const kernel_info* kernel = nullptr;
};

/// Local memory is set aside for every thread that can be resident on the GPU, with the deepest stack of all kernels.
struct stack_reserve {
    gpu_model gpu;
    std::int64_t stack_bytes = 0;  ///< per thread, of the deepest
    std::int64_t threads = 0;      ///< of all SMs
    std::size_t kernel = 0;        ///< whose stack that is
    bool unbounded = false;        ///< some kernel's stack has no known limit, and it can be more

    [[nodiscard]] std::int64_t bytes() const { return stack_bytes * threads; }
};

/// What one kernel in one image needs.
struct stack_need {
    std::optional<stack_reserve> most;  ///< on the model where it is most; nullopt: nothing, or not known
    std::string why_unknown;            ///< why it can be more than `most`; empty: it cannot
};

/// Of each. The driver loads of each kernel in each module the image that fits the GPU best. An image that a better one
/// displaces on all GPUs needs nothing, one without a stack neither.
std::vector<stack_need> stack_needs(const std::vector<stack_user>& users);

/// Kernels whose need is not known on any model.
struct uncounted_stacks {
    std::string architecture, why;
    std::size_t kernels = 0;

    friend bool operator==(const uncounted_stacks&, const uncounted_stacks&) = default;
};

struct stack_reserves {
    std::vector<stack_reserve> gpus;          ///< each model that loads one of the kernels, also for a reserve of 0
    std::vector<uncounted_stacks> uncounted;  ///< by architecture, then reason
};
stack_reserves stack_reserves_of(const std::vector<stack_user>& users);

}  // namespace launchbox
