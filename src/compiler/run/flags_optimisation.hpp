// How far nvcc's flags let it optimise device code, for cubins from before CUDA 13, which do not record it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

/// From -G, -dopt and flags passed to ptxas; nvcc's own -O is for host code.
code_optimisation optimisation_of_flags(const std::vector<std::string>& flags);

}  // namespace launchbox
