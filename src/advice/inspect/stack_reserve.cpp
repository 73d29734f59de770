// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/stack_reserve.hpp"

#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "image/gpu_coverage.hpp"

namespace launchbox {

std::vector<stack_reserve> stack_reserves(const std::vector<const kernel_info*>& kernels)
{
    // The driver loads of each kernel the image that fits best: the highest that runs.
    struct deepest {
        std::int64_t stack = -1;
        std::size_t kernel = 0;
        bool unbounded = false;
    };
    std::map<std::pair<compute_capability, std::string>, deepest> of_image;  // by architecture
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_info& kernel = *kernels[i];
        const std::optional<std::int64_t> stack = deepest_stack(kernel);
        if (!kernel.capability || is_ptx(kernel) || !stack) continue;
        deepest& most = of_image[{*kernel.capability, kernel.architecture}];
        most.unbounded |= kernel.stack_unbounded;
        if (*stack > most.stack) {
            most.stack = *stack;
            most.kernel = i;
        }
    }
    std::vector<stack_reserve> reserves;
    for (const gpu_model& gpu : gpu_models()) {
        const sm_limits* limits = find_sm_limits(gpu.capability);
        const deepest* best = nullptr;
        for (const auto& [image, most] : of_image)
            if (cubin_runs_on(image.first, gpu.capability)) best = &most;  // rising: the last is the highest
        if (limits == nullptr || best == nullptr) continue;
        reserves.push_back({.gpu = gpu,
                            .stack_bytes = best->stack,
                            .threads = std::int64_t{limits->threads_per_sm} * gpu.sms,
                            .kernel = best->kernel,
                            .unbounded = best->unbounded});
    }
    return reserves;
}

}  // namespace launchbox
