// Which machine instructions read or write memory, by opcode, without a disassembler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace launchbox {

struct code_access {
    bool reads = false, writes = false;
};

/// Loads, stores and atomics of global, shared and generic memory, and asynchronous copies from global memory into
/// shared; compute capability 7.0 to 12.1. Not local memory, textures, or what copies in bulk. `opcode`: the lowest 12
/// bits of an instruction.
code_access memory_access_of(std::uint32_t opcode);

}  // namespace launchbox
