// Live registers at each instruction of a code section, found by our own decoder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "image/code/code_marks.hpp"
#include "image/code/operands.hpp"

namespace launchbox {

/// Reasons why the figures of some code may be inaccurate.
struct live_doubts {
    std::size_t unknown_instructions = 0;  ///< opcodes or modifiers that the table does not have
    std::uint32_t first_unknown = 0;       ///< opcode of the first one
    std::size_t calls = 0;                 ///< their reads and writes follow the calling convention
    std::size_t unknown_targets = 0;       ///< indirect branches without a table, and branches out of the code

    std::size_t predicate_masks = 0;  ///< R2P, which writes unknown predicates

    [[nodiscard]] bool more_than_calls() const { return unknown_instructions + unknown_targets + predicate_masks > 0; }
    [[nodiscard]] bool any() const { return calls > 0 || more_than_calls(); }
};

struct live_code {
    /// For each 16-byte instruction: registers live before it, and registers that it writes.
    std::vector<register_set> live, writes;
    live_doubts doubts;
};

/// `sm` must be supported by `operand_decoder`. Time and memory (about 240 bytes per instruction) are linear in the
/// code, except that each level of nested loops costs another pass.
live_code find_live_registers(std::string_view code, int sm, const code_marks& marks);

}  // namespace launchbox
