// SPDX-License-Identifier: Apache-2.0
#include "image/code/control_flow.hpp"

namespace launchbox {

namespace {

constexpr unsigned guard_at = 12, condition_at = 87, register_at = 24, uniform_condition_at = 24, mode_at = 32,
                   has_uniform_at = 91;
constexpr int first_in_words = 90, first_of_new_family = 100;
constexpr std::uint32_t no_predicate = 7, no_register = 255;
constexpr std::int64_t instruction_width = 16;

void read_predicate(register_set& reads, std::uint32_t number, bool uniform)
{
    if (number != no_predicate)
        reads.predicates |= std::uint64_t{1} << (number + (uniform ? register_set::first_uniform_predicate : 0));
}

void read_pair(register_set& reads, std::uint32_t first)
{
    for (std::uint32_t number = first; number < first + 2 && number < no_register; ++number)
        reads.general[number / 64] |= std::uint64_t{1} << (number % 64);
}

void read_uniform(register_set& reads, instruction_word word, std::uint32_t count, int sm)
{
    const std::uint32_t first = word.bits(register_at, sm < first_of_new_family ? 6 : 8);
    for (std::uint32_t number = first; number < first + count; ++number)
        if (number < (sm < first_of_new_family ? 63U : 127U))
            reads.uniform[number / 64] |= std::uint64_t{1} << (number % 64);
}

std::int64_t signed_number(std::uint64_t value, unsigned bits)
{
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

// In bytes from the end of the instruction. Up to 8.9 in bits 32 to 81, the lowest two of which are modifiers.
std::int64_t plain_offset_of(instruction_word word)
{
    return signed_number(word.low >> 34 | (word.high & 0x3ffff) << 30, 48) * 4;
}

// From 9.0 on in words of 4 bytes, with the lowest byte in bits 16 to 23 and the rest from bit 34 on.
std::int64_t offset_of(instruction_word word, int sm)
{
    const std::uint64_t high = word.high & 0x3ffff;
    if (sm < first_in_words) return plain_offset_of(word);
    return signed_number((word.low >> 34 | high << 30) << 8 | (word.low >> 16 & 0xff), 56) * 4;
}

}  // namespace

std::optional<flow> flow_of(instruction_word word, std::int64_t byte, int sm)
{
    // All control flow has one of these patterns, and most instructions have none of them.
    constexpr std::uint32_t group = 0xff0;
    switch (word.opcode() & group) {
        case 0x340:
        case 0x540:
        case 0x940:
        case 0x950:
            break;
        default:
            return std::nullopt;
    }
    flow found;
    register_set& reads = found.operands.reads;
    const std::int64_t target = byte + instruction_width + offset_of(word, sm);
    bool has_condition = true;
    switch (word.opcode()) {
        case 0x547:  // BRA.U: of the warp, by a uniform predicate
            found.kind = flow_kind::branch;
            found.target = target;
            read_predicate(reads, word.bits(uniform_condition_at, 3), true);
            found.conditional = word.bits(uniform_condition_at, 3) != no_predicate;
            break;
        case 0x947:  // BRA
            // .DIV and .CONV: depend on other threads of the warp.
            if (constexpr std::uint32_t first_of_warp = 2; word.bits(mode_at, 2) >= first_of_warp) {
                found.conditional = true;
                if (word.bits(has_uniform_at, 1) != 0) read_uniform(reads, word, 1, sm);
            }
            [[fallthrough]];
        case 0x94a:  // JMP
            found.kind = flow_kind::branch;
            found.target = target;
            break;
        case 0x949:  // BRX
        case 0x94c:  // JMX
            found.kind = flow_kind::indirect_branch;
            read_pair(reads, word.bits(register_at, 8));
            break;
        case 0x958:  // BRXU
        case 0x959:  // JMXU
            found.kind = flow_kind::indirect_branch;
            read_uniform(reads, word, 2, sm);
            break;
        case 0x343:  // CALL.ABS of a register
            read_pair(reads, word.bits(register_at, 8));
            [[fallthrough]];
        case 0x943:  // CALL.ABS
        case 0x944:  // CALL.REL
            found.kind = flow_kind::call;
            if (word.opcode() == 0x944) found.target = target;
            break;
        case 0x950:  // RET
            found.kind = flow_kind::leave;
            read_pair(reads, word.bits(register_at, 8));
            break;
        case 0x94d:  // EXIT
        case 0x95b:  // KILL
            found.kind = flow_kind::end;
            break;
        case 0x941:  // BSYNC
        case 0x942:  // BREAK
            break;
        case 0x95c:  // BPT
            has_condition = false;
            break;
        case 0x945:  // BSSY
            // .RECONVERGENT is in the bits above the offset.
            found.target = byte + instruction_width + signed_number(word.low >> 34, 30) * 4;
            break;
        case 0x348: {  // WARPSYNC of a register
            has_condition = false;
            const std::uint32_t number = word.bits(sm < first_in_words ? 32 : register_at, 8);
            // .COLLECTIVE names the place to continue at after the collective operation.
            if (sm >= first_in_words && word.bits(86, 1) != 0) found.target = target;
            if (number != no_register) reads.general[number / 64] |= std::uint64_t{1} << (number % 64);
            break;
        }
        case 0x948:  // WARPSYNC
            has_condition = false;
            break;
        default:
            return std::nullopt;
    }
    const std::uint32_t guard = word.bits(guard_at, 3);
    read_predicate(reads, guard, false);
    found.conditional |= guard != no_predicate || word.bits(guard_at + 3, 1) != 0;
    if (has_condition) {
        const std::uint32_t condition = word.bits(condition_at, 3);
        read_predicate(reads, condition, false);
        found.conditional |= condition != no_predicate || word.bits(condition_at + 3, 1) != 0;
    }
    return found;
}

}  // namespace launchbox
