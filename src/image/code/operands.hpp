// Registers that a machine instruction reads and writes: 128-bit encodings, compute capability 7.5 to 12.1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace launchbox {

/// Registers of one thread (general, predicates) and of its warp (uniform), one bit each.
struct register_set {
    std::array<std::uint64_t, 4> general{};  ///< R0 to R254
    std::array<std::uint64_t, 2> uniform{};  ///< UR0 to UR126
    std::uint64_t predicates = 0;            ///< P0 to P6; from bit 8 on UP0 to UP6

    static constexpr int first_uniform_predicate = 8;

    constexpr register_set& operator|=(const register_set& other)
    {
        for (std::size_t i = 0; i < general.size(); ++i) general[i] |= other.general[i];
        for (std::size_t i = 0; i < uniform.size(); ++i) uniform[i] |= other.uniform[i];
        predicates |= other.predicates;
        return *this;
    }
    constexpr register_set& operator&=(const register_set& other)
    {
        for (std::size_t i = 0; i < general.size(); ++i) general[i] &= other.general[i];
        for (std::size_t i = 0; i < uniform.size(); ++i) uniform[i] &= other.uniform[i];
        predicates &= other.predicates;
        return *this;
    }
    constexpr void remove(const register_set& other)
    {
        for (std::size_t i = 0; i < general.size(); ++i) general[i] &= ~other.general[i];
        for (std::size_t i = 0; i < uniform.size(); ++i) uniform[i] &= ~other.uniform[i];
        predicates &= ~other.predicates;
    }
    [[nodiscard]] constexpr int general_count() const
    {
        int count = 0;
        for (const std::uint64_t word : general)
            if (word != 0) count += std::popcount(word);  // a function call on the oldest processors that we support
        return count;
    }
    [[nodiscard]] constexpr int uniform_count() const
    {
        return (uniform[0] == 0 ? 0 : std::popcount(uniform[0])) + (uniform[1] == 0 ? 0 : std::popcount(uniform[1]));
    }
    [[nodiscard]] constexpr int predicate_count() const { return std::popcount(predicates & 0x7f); }
    [[nodiscard]] constexpr int uniform_predicate_count() const { return std::popcount(predicates >> 8); }

    friend constexpr bool operator==(const register_set&, const register_set&) = default;
};

struct instruction_word {
    std::uint64_t low = 0, high = 0;

    [[nodiscard]] constexpr std::uint32_t opcode() const { return static_cast<std::uint32_t>(low & 0xfff); }
    /// Up to 32 bits, which may span both halves.
    [[nodiscard]] constexpr std::uint32_t bits(unsigned at, unsigned count) const
    {
        const std::uint64_t value = at >= 64 ? high >> (at - 64) : at == 0 ? low : low >> at | high << (64 - at);
        return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << count) - 1));
    }
};

struct instruction_operands {
    register_set reads, writes;
    bool guard_is_uniform = false;  ///< about the predicate that guards the instruction
};

/// For one architecture, from a table that `bench/make_operand_table.py` generates by querying nvdisasm.
class operand_decoder {
public:
    /// `sm`: 75 to 121.
    explicit operand_decoder(int sm);

    /// Whether the table covers this architecture.
    [[nodiscard]] bool supported() const { return family_ >= 0; }

    /// False for an opcode, or modifiers, missing from the table.
    bool decode(instruction_word word, instruction_operands& operands) const;

private:
    int family_ = -1;
    std::uint64_t architecture_bits_ = 0;
};

}  // namespace launchbox
