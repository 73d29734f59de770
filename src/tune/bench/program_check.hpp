// Checks that a program really contains a kernel as compiled: a benchmark that was not rebuilt measures nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "image/kernel_info.hpp"

namespace launchbox {

struct program_check {
    bool contradicts = false;  ///< the kernel is there, for this architecture, with other launch bounds or another cap
    bool found = false;        ///< the kernel is there for this architecture
    std::string text;          ///< what is there instead, or how it differs though its bounds are right; may be empty
};

/// Looks for `expected` (by its name and architecture) in the program and compares launch bound and register cap.
/// Throws `error` when the file cannot be read.
program_check check_program(const std::string& program, const kernel_info& expected);

/// Whether the file holds compiled CUDA code at all.
bool contains_kernels(const std::string& program);

}  // namespace launchbox
