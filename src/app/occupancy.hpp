// Explains the occupancy of launches, for figures that the user names or for the kernels of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "advice/model/account.hpp"
#include "app/input/kernel_input.hpp"
#include "app/launch_inputs.hpp"

namespace launchbox {

struct occupancy_request {
    architecture_list architectures;
    launch_inputs launch;
    std::optional<int> threads;      ///< per block; empty: the kernel's launch bound
    std::vector<std::int64_t> grid;  ///< all blocks, or those in x, y and z; empty: not told
    std::optional<int> sms;          ///< of the GPU
    std::vector<int> gpcs;           ///< SMs of each
    int cluster_blocks = 1;
    bool curves = false;
    bool rules = false;  ///< check the rules of thumb
};

/// What is asked of the request's figures alone, which name the threads, there.
occupancy_question question_of_figures(const occupancy_request& request, const target& where);

/// For the figures of the request alone, on each architecture.
std::vector<occupancy_account> accounts_of_figures(const occupancy_request& request);

/// For each kernel, on each of its architectures; figures of the request override those of the kernel. The reason why a
/// kernel is left out is added to the errors of its input.
std::vector<occupancy_account> accounts_of_kernels(const occupancy_request& request, kernel_input& input);

}  // namespace launchbox
