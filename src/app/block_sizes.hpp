// Which block sizes keep the most threads resident: of figures that the user names, or of the kernels of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/input/kernel_input.hpp"
#include "app/launch_inputs.hpp"
#include "report/kernels/suggest_report.hpp"

namespace launchbox {

struct suggest_request {
    architecture_list architectures;
    launch_inputs launch;
    block_size_request sizes;
    std::size_t top = 6;     ///< so many, the best first
    std::optional<int> sms;  ///< of the GPU
};

/// Of the request's figures alone, on each architecture.
std::vector<block_size_advice> block_sizes_of_figures(const suggest_request& request);

/// Of each kernel, on each architecture that it is for; the request's figures go first. Why one is left out is added to
/// the errors of its input.
std::vector<block_size_advice> block_sizes_of_kernels(const suggest_request& request, kernel_input& input);

}  // namespace launchbox
