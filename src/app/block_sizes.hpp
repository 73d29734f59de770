// The block sizes that keep the most threads resident, for figures that the user names or for the kernels of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/input/kernel_input.hpp"
#include "app/launch_inputs.hpp"
#include "report/occupancy/suggest_report.hpp"

namespace launchbox {

struct suggest_request {
    architecture_list architectures;
    launch_inputs launch;
    block_size_request sizes;
    std::size_t top = 6;     ///< so many, the best first
    std::optional<int> sms;  ///< of the GPU
};

/// For the figures of the request alone, on each architecture.
std::vector<block_size_advice> block_sizes_of_figures(const suggest_request& request);

/// For each kernel, on each of its architectures; figures of the request override those of the kernel. The reason why a
/// kernel is left out is added to the errors of its input.
std::vector<block_size_advice> block_sizes_of_kernels(const suggest_request& request, kernel_input& input);

}  // namespace launchbox
