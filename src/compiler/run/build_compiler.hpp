// Finds the compiler that a build's command runs, and converts its flags to nvcc's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// The words after the compiler. Programs before it (ccache, env, cmake -E) are skipped. For clang, which compiles CUDA
/// too, flags that affect kernels are translated to nvcc's, and flags only for the host compiler are dropped. Flags of
/// Kokkos's nvcc_wrapper are passed on to the host compiler, as it does.
std::vector<std::string> as_nvcc_words(const std::vector<std::string>& command);

}  // namespace launchbox
