// The account of launches: of figures that the user names, or of the kernels of files.
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

/// Of the request's figures alone, on each architecture.
std::vector<occupancy_account> accounts_of_figures(const occupancy_request& request);

/// Of each kernel, on each architecture that it is for; the request's figures go first. Why one is left out is added to
/// the errors of its input.
std::vector<occupancy_account> accounts_of_kernels(const occupancy_request& request, kernel_input& input);

}  // namespace launchbox
