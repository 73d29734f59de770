// SPDX-License-Identifier: Apache-2.0
#include "image/code/operands.hpp"

#include <algorithm>
#include <iterator>

namespace launchbox {

namespace {

// An operand: an instruction field with a register number. Some bits, the selectors, determine how many registers it
// covers.
struct operand_slot {
    std::uint8_t use;              // 0: R read, 1: UR, 2: P, 3: UP; 4 to 7: written
    std::uint8_t position;         // of the field's first bit; 128 more: the bits are inverted
    std::uint8_t selectors;        // their number; the first is the highest bit of the index
    std::uint16_t first_selector;  // index into operand_selectors
    std::uint16_t first_width;     // index into operand_widths
};

struct opcode_row {
    std::uint16_t opcode;
    std::uint16_t first_slot;  // index into operand_slots; ends at the next row's
    // Bits that were constant in all known instructions with this opcode: their meaning is unknown.
    std::uint64_t fixed_low, fixed_high, value_low, value_high;
};

constexpr std::uint8_t width_not_known = 255;
// The bits above the 105 that are not for scheduling encode the architecture.
constexpr unsigned first_architecture_bit = 41;

#include "image/code/operand_table.inc"

constexpr int opcodes = 4096;
using row_index = std::array<std::uint16_t, opcodes>;
constexpr std::uint16_t no_row = 0xffff;

template <std::size_t N>
constexpr row_index index_of(const std::array<opcode_row, N>& rows)
{
    row_index index{};
    index.fill(no_row);
    for (std::size_t i = 0; i + 1 < N; ++i) index[rows[i].opcode] = static_cast<std::uint16_t>(i);
    return index;
}

constexpr std::array indices{index_of(opcode_rows_0), index_of(opcode_rows_1)};

void add_bits(std::uint64_t* words, unsigned first, unsigned count, unsigned limit)
{
    for (unsigned number = first; number < std::min(first + count, limit); ++number)
        words[number / 64] |= std::uint64_t{1} << (number % 64);
}

}  // namespace

operand_decoder::operand_decoder(int sm)
{
    constexpr int first_of_new_family = 100;
    if (std::ranges::find(known_architectures, sm) == std::end(known_architectures)) return;
    family_ = sm >= first_of_new_family ? 1 : 0;
    const auto& steps = architecture_steps[static_cast<std::size_t>(family_)];
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (sm >= steps[i]) architecture_bits_ |= std::uint64_t{1} << (first_architecture_bit + i);
}

bool operand_decoder::decode(instruction_word word, instruction_operands& operands) const
{
    if (family_ < 0) return false;
    const std::uint16_t index = indices[static_cast<std::size_t>(family_)][word.opcode()];
    if (index == no_row) return false;
    const opcode_row* row = (family_ == 0 ? opcode_rows_0.data() : opcode_rows_1.data()) + index;
    constexpr std::uint64_t without_scheduling = (std::uint64_t{1} << first_architecture_bit) - 1;
    word.high = (word.high & without_scheduling) | architecture_bits_;
    if (((word.low ^ row->value_low) & row->fixed_low) != 0 || ((word.high ^ row->value_high) & row->fixed_high) != 0)
        return false;
    operands = {};
    const unsigned uniform_bits = family_ == 0 ? 6 : 8;
    for (std::size_t s = row->first_slot; s < row[1].first_slot; ++s) {
        const operand_slot& slot = operand_slots[s];
        const unsigned file = slot.use & 3;
        const unsigned bits = file == 0 ? 8 : file == 1 ? uniform_bits : 3;
        std::uint32_t number = word.bits(slot.position & 127, bits);
        const std::uint32_t none = (1U << bits) - 1;  // RZ, URZ, PT, UPT
        if ((slot.position & 128) != 0) number ^= none;
        if (constexpr unsigned guard = 12, uniform_predicate = 3; slot.position == guard && file == uniform_predicate)
            operands.guard_is_uniform = true;
        if (number == none) continue;
        unsigned selected = 0;
        for (unsigned i = 0; i < slot.selectors; ++i)
            selected = selected << 1 | word.bits(operand_selectors[slot.first_selector + i], 1);
        const std::uint8_t width = operand_widths[slot.first_width + selected];
        if (width == width_not_known) return false;
        register_set& set = slot.use < 4 ? operands.reads : operands.writes;
        constexpr unsigned general_registers = 255, uniform_registers = 127;
        if (file == 0)
            add_bits(set.general.data(), number, width, general_registers);
        else if (file == 1)
            add_bits(set.uniform.data(), number, width, std::min(none, uniform_registers));
        else if (width > 0)
            set.predicates |= std::uint64_t{1} << (number + (file == 3 ? register_set::first_uniform_predicate : 0));
    }
    return true;
}

}  // namespace launchbox
