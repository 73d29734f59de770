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
    std::string source;  ///< .cu, as the user named it; has a main
    compute_capability architecture;
    std::vector<std::string> flags;  ///< further arguments of nvcc; must not choose architectures or outputs
    std::filesystem::path program;   ///< the output
};

/// Runs nvcc. Returns its output if it failed, and nothing on success. Throws `error` if nvcc cannot be started, and
/// for names and flags that nvcc would pass to a shell.
std::string build_program(const toolchain& tools, const program_request& request);

}  // namespace launchbox
