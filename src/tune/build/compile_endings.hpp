// How compilers end when they do not just succeed or complain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "compiler/nvcc_run.hpp"

namespace launchbox {

/// "the compiler did not end within 300 s"
std::string timeout_reason(double seconds);
/// "the compiler took more than 8 GiB of memory"
std::string memory_reason(std::int64_t bytes);

/// Whether what a compiler said last is that it got no more memory.
bool is_out_of_memory(const std::string& said);

/// How nvcc or one of the programs that it runs was ended by a signal: "cicc died due to signal 11 (Invalid memory
/// reference)". Empty: none was.
std::string death_of_compiler(const nvcc_output& output);

}  // namespace launchbox
