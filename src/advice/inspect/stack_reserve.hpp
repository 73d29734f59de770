// How much GPU memory the driver reserves for the stacks of a program's kernels.
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

/// Local memory is reserved for every thread that can be resident on the GPU, for the deepest stack of all kernels.
struct stack_reserve {
    gpu_model gpu;
    std::int64_t stack_bytes = 0;  ///< per thread, of the deepest stack
    std::int64_t threads = 0;      ///< of all SMs
    std::size_t kernel = 0;        ///< the kernel with that stack
    bool unbounded = false;        ///< some stack has no known limit, so it may be more

    [[nodiscard]] std::int64_t bytes() const { return stack_bytes * threads; }
};

/// The need of one kernel in one image.
struct stack_need {
    std::optional<stack_reserve> most;  ///< on the model where it is largest; `nullopt` if none or unknown
    std::string why_unknown;            ///< why it may exceed `most`; empty if it cannot
};

/// For each user. For each kernel in each module, the driver loads the image that fits the GPU best. An image that a
/// better one displaces on all GPUs needs nothing, nor does one without a stack.
std::vector<stack_need> stack_needs(const std::vector<stack_user>& users);

/// Kernels whose need is unknown on every model.
struct uncounted_stacks {
    std::string architecture, why;
    std::size_t kernels = 0;

    friend bool operator==(const uncounted_stacks&, const uncounted_stacks&) = default;
};

struct stack_reserves {
    std::vector<stack_reserve> gpus;          ///< each model that loads one of the kernels, even if it reserves 0
    std::vector<uncounted_stacks> uncounted;  ///< by architecture, then reason
};
stack_reserves stack_reserves_of(const std::vector<stack_user>& users);

}  // namespace launchbox
