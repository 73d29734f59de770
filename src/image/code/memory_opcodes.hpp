// Recognises by opcode the machine instructions that read or write memory, without a disassembler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace launchbox {

struct code_access {
    bool reads = false, writes = false;
};

/// Loads, stores and atomics of global, shared and generic memory, and asynchronous copies from global to shared
/// memory, for compute capability 7.0 to 12.1. Not local memory, textures, or bulk copies. `opcode`: the lowest 12 bits
/// of an instruction.
code_access memory_access_of(std::uint32_t opcode);

}  // namespace launchbox
