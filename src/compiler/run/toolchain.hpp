// Finds nvcc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

namespace launchbox {

struct toolchain {
    std::filesystem::path nvcc;
    std::string version;                   ///< "13.0.88"
    std::string found_by;                  ///< "--nvcc", "CUDA_HOME", "CUDA_PATH", "PATH", "checkout", "default"
    std::vector<std::string> environment;  ///< NAME=value: variables that nvcc needs besides our own
};

/// The first nvcc among: `requested` (the program, a toolkit's folder, or a release such as 13.0), $CUDA_HOME,
/// $CUDA_PATH, PATH, the folder that ./setup fills in a checkout, /usr/local/cuda. Throws `error`: bad_input if
/// `requested` is not an nvcc that runs; missing, with the command that installs one, if none is found. A variable that
/// does not name a toolkit is skipped.
toolchain find_toolchain(const std::string& requested = {});

/// The version of the ptxas beside this nvcc, "13.0.88"; empty if there is none.
std::string ptxas_version(const toolchain& tools);

/// Architectures that this nvcc compiles for, ascending, without variants that end with a letter: `nvcc
/// --list-gpu-code`.
std::vector<compute_capability> compiler_architectures(const toolchain& tools);

}  // namespace launchbox
