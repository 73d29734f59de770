// Which registers hold a value that is still needed, at each instruction of a section of code: by our own decoder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "image/code/code_marks.hpp"
#include "image/code/operands.hpp"

namespace launchbox {

/// Why the figures of some code may be off.
struct live_doubts {
    std::size_t unknown_instructions = 0;  ///< opcodes or modifiers that the table does not have
    std::uint32_t first_unknown = 0;       ///< opcode of the first of them
    std::size_t calls = 0;                 ///< what they read and write is taken from the calling convention
    std::size_t unknown_targets = 0;       ///< indirect branches without a table, and branches out of the code

    std::size_t predicate_masks = 0;  ///< R2P: which predicates it writes is not known

    [[nodiscard]] bool more_than_calls() const { return unknown_instructions + unknown_targets + predicate_masks > 0; }
    [[nodiscard]] bool any() const { return calls > 0 || more_than_calls(); }
};

struct live_code {
    /// Of each instruction of 16 bytes: what is live before it, or written by it.
    std::vector<register_set> live, writes;
    live_doubts doubts;
};

/// `sm` is one that `operand_decoder` supports. Time and memory (about 240 bytes an instruction) are linear in the
/// code, but for nested loops, of which each level costs a pass.
live_code find_live_registers(std::string_view code, int sm, const code_marks& marks);

}  // namespace launchbox
