// How far the flags of nvcc let it optimise device code, for cubins that do not tell: those before CUDA 13.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

/// Of -G, -dopt and what is passed to ptxas; -O of nvcc itself is for code of the host.
code_optimisation optimisation_of_flags(const std::vector<std::string>& flags);

}  // namespace launchbox
