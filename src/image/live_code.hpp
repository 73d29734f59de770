// Which registers hold a value that is still needed, at each instruction of a section of code: by our own decoder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "image/operands.hpp"

namespace launchbox {

/// Why the figures of some code may be off.
struct live_doubts {
    std::size_t unknown_instructions = 0;  ///< opcodes or modifiers that the table does not have
    std::uint32_t first_unknown = 0;       ///< opcode of the first of them
    std::size_t calls = 0;                 ///< what they read and write is taken from the calling convention
    std::size_t unknown_targets = 0;       ///< indirect branches without a table, and branches out of the code

    /// Instructions at which a value may be live or not, depending on what is known of predicates: it is only written
    /// under one. It is taken for live.
    std::size_t under_predicates = 0;

    [[nodiscard]] bool any_but_calls() const { return unknown_instructions + unknown_targets + under_predicates > 0; }
    [[nodiscard]] bool any() const { return calls > 0 || any_but_calls(); }
};

struct live_code {
    /// Of each instruction of 16 bytes: what is live before it, or written by it.
    std::vector<register_set> live, writes;
    /// The most general registers that are live at once: at least, where a write under a predicate ends the life of the
    /// value before, and at most, where it does not, which is what `live` has.
    int min_peak = 0, peak = 0;
    live_doubts doubts;
};

/// By the byte of an indirect branch: the bytes that it may go to.
using branch_tables = std::unordered_map<std::uint64_t, std::vector<std::uint64_t>>;

struct elf_image;

/// Of a kernel, from its records in the image.
branch_tables branch_tables_of(const elf_image& image, std::string_view kernel);

/// `sm` is one that `operand_decoder` supports. Time and memory (about 240 bytes an instruction) are linear in the
/// code, but for nested loops, of which each level costs a pass.
live_code find_live_registers(std::string_view code, int sm, const branch_tables& tables);

}  // namespace launchbox
