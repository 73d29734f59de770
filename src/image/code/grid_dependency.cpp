// SPDX-License-Identifier: Apache-2.0
#include "image/code/grid_dependency.hpp"

#include <cstdint>
#include <cstring>

namespace launchbox {

bool waits_for_grid(std::string_view code)
{
    // The lowest 12 bits of an instruction are its opcode. The same from 9.0 to 12.1, as ptxas 13.0 writes it.
    constexpr std::size_t instruction_bytes = 16;
    constexpr std::uint32_t opcode_bits = 0xfff, wait_for_grid = 0x82e;
    for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
        std::uint32_t word = 0;
        std::memcpy(&word, code.data() + at, sizeof word);
        if ((word & opcode_bits) == wait_for_grid) return true;
    }
    return false;
}

}  // namespace launchbox
