// SPDX-License-Identifier: Apache-2.0
#include "image/control_flow.hpp"

namespace launchbox {

namespace {

constexpr unsigned guard_at = 12, condition_at = 87, register_at = 24, uniform_condition_at = 24;
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

std::int64_t signed_number(std::uint64_t value, unsigned bits)
{
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

// From the end of the instruction on, in bytes. Up to 8.9 in bits 32 to 81; from 9.0 on in words of 4 bytes, the lowest
// byte of which is in bits 16 to 23 and the rest from bit 34 on.
std::int64_t offset_of(instruction_word word, int sm)
{
    constexpr int first_in_words = 90;
    const std::uint64_t high = word.high & 0x3ffff;
    if (sm < first_in_words) return signed_number(word.low >> 32 | high << 32, 50);
    return signed_number((word.low >> 34 | high << 30) << 8 | (word.low >> 16 & 0xff), 56) * 4;
}

}  // namespace

std::optional<flow> flow_of(instruction_word word, std::int64_t byte, int sm)
{
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
            for (std::uint32_t i = 0; i < 2; ++i) {
                const std::uint32_t number = word.bits(register_at, sm < 100 ? 6 : 8) + i;
                if (number < (sm < 100 ? 63U : 127U)) reads.uniform[number / 64] |= std::uint64_t{1} << (number % 64);
            }
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
        case 0x945:  // BSSY
        case 0x95c:  // BPT
            break;
        case 0x348: {  // WARPSYNC of a register
            has_condition = false;
            const std::uint32_t number = word.bits(register_at, 8);
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
