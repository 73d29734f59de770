// Which compiler a build's command runs, and its flags in nvcc's words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// The words behind the compiler. Programs in front of it (ccache, env, cmake -E) are passed over. Of clang, which
/// compiles CUDA as well, the flags stay that change what kernels become, in nvcc's words; flags of the host compiler
/// alone go. What nvcc_wrapper of Kokkos is given, nvcc is told to hand on to the host compiler, as it does.
std::vector<std::string> as_nvcc_words(const std::vector<std::string>& command);

}  // namespace launchbox
