// Builds a whole program, host code and device code, from one source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/toolchain.hpp"

namespace launchbox {

struct program_request {
    std::string source;  ///< .cu, as the user names it; it has a main
    compute_capability architecture;
    std::vector<std::string> flags;  ///< further arguments of nvcc; they may not choose architectures or outputs
    std::filesystem::path program;   ///< where it goes
};

/// Runs nvcc. Returns what it printed if it failed, and nothing on success. Throws `error` when nvcc cannot be started,
/// and for names and flags that nvcc would hand to a shell.
std::string build_program(const toolchain& tools, const program_request& request);

}  // namespace launchbox
