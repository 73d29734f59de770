// An assembler for programs of a few instructions, in the machine code of sm_90.
//
//     MOV R5,R3   USE R5 (adds it to R40)   SETP P0,R2   UADD UR10,UR8,UR12   NOP   EXIT   RET R20   X: (a label)
//     BRA X   BRADIV UR4,X   BSSY X   CALL X   WARPSYNC R9,X
//
// with ";" between them and @P0, @!P0, @UP0 before them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "image/code/operands.hpp"

namespace launchbox {

class tiny_code {
public:
    explicit tiny_code(std::string_view text)
    {
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find(';', at), text.size());
            std::string_view one = text.substr(at, end - at);
            one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
            at = end + 1;
            if (one.ends_with(':'))
                labels_.emplace(one.substr(0, one.size() - 1), instructions_.size());
            else if (!one.empty())
                instructions_.push_back(one);
        }
    }

    [[nodiscard]] std::string bytes() const
    {
        std::string code;
        for (std::size_t i = 0; i < instructions_.size(); ++i) {
            const instruction_word word = assemble(instructions_[i], i);
            code.append(reinterpret_cast<const char*>(&word.low), 8)
                .append(reinterpret_cast<const char*>(&word.high), 8);
        }
        return code;
    }

private:
    [[nodiscard]] instruction_word assemble(std::string_view text, std::size_t i) const
    {
        std::uint64_t guard = 7;
        if (text.starts_with('@')) {
            const std::size_t end = text.find(' ');
            guard = (text[1] == '!' ? 8U : 0U) | number_of(text.substr(1, end - 1));
            text.remove_prefix(end + 1);
        }
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view name = text.substr(0, end);
        std::vector<std::string_view> operands;
        for (std::size_t at = end + 1; at < text.size();) {
            const std::size_t comma = std::min(text.find(',', at), text.size());
            operands.push_back(text.substr(at, comma - at));
            at = comma + 1;
        }
        const auto n = [&](std::size_t operand) { return number_of(operands.at(operand)); };
        const auto offset = [&](std::size_t operand) {
            return (static_cast<std::int64_t>(labels_.at(operands.at(operand))) - static_cast<std::int64_t>(i) - 1) *
                   16;
        };
        // From 9.0 on, offsets count 4-byte words: the lowest byte at bit 16, the rest from bit 34 on.
        const auto branch = [&](std::size_t operand) {
            const std::int64_t words = offset(operand) / 4;
            return static_cast<std::uint64_t>(words & 0xff) << 16 |
                   (static_cast<std::uint64_t>(words >> 8) & 0x3fffffff) << 34;
        };
        constexpr std::uint64_t scheduling = 0x000fe20000000000, none = 255;
        const auto word = [&](std::uint64_t low, std::uint64_t high) {
            return instruction_word{low | guard << 12, high | scheduling};
        };
        const auto backwards = [&](std::size_t operand) -> std::uint64_t { return offset(operand) < 0 ? 0x3ffff : 0; };
        if (name == "MOV") return word(0x202 | n(0) << 16 | n(1) << 32, 0xf00);
        if (name == "USE") return word(0x210 | 40U << 16 | n(0) << 24 | none << 32, 0x7ffe0ff);
        if (name == "SETP") return word(0x20c | n(1) << 24 | none << 32, 0x3f04270 | n(0) << 17);
        if (name == "UADD") return word(0x8000000000000290 | n(0) << 16 | n(1) << 24 | n(2) << 32, 0xfffe03f);
        if (name == "NOP") return word(0x918, 0);
        if (name == "EXIT") return word(0x94d, 0x3800000);
        if (name == "RET") return word(0x950 | n(0) << 24, 0x3c00000);
        if (name == "BRA") return word(0x947 | branch(0), 0x3800000 | backwards(0));
        if (name == "BRADIV") return word(0x947 | std::uint64_t{2} << 32 | n(0) << 24 | branch(1), 0xb800000);
        if (name == "BSSY") return word(0x945 | static_cast<std::uint64_t>(offset(0)) << 32, 0x3800000);
        if (name == "CALL") return word(0x944 | branch(0), 0x3c00000);
        if (name == "WARPSYNC") return word(0x348 | n(0) << 24 | branch(1), 0x3c00000);
        throw std::invalid_argument(std::string(name));
    }

    // The number in R5, UR5, P5, UP5 or !P5; 7 for PT.
    static std::uint64_t number_of(std::string_view name)
    {
        if (name.ends_with('T')) return 7;
        return static_cast<std::uint64_t>(std::stoi(std::string(name.substr(name.find_first_of("0123456789")))));
    }

    std::vector<std::string_view> instructions_;
    std::map<std::string_view, std::size_t> labels_;
};

inline std::string registers_text(const register_set& set)
{
    std::string text;
    const auto add = [&](const char* file, unsigned number) {
        text += (text.empty() ? "" : " ") + std::string(file) + std::to_string(number);
    };
    for (unsigned i = 0; i < 255; ++i)
        if ((set.general[i / 64] >> (i % 64) & 1) != 0) add("R", i);
    for (unsigned i = 0; i < 7; ++i)
        if ((set.predicates >> i & 1) != 0) add("P", i);
    for (unsigned i = 0; i < 127; ++i)
        if ((set.uniform[i / 64] >> (i % 64) & 1) != 0) add("UR", i);
    for (unsigned i = 0; i < 7; ++i)
        if ((set.predicates >> (i + register_set::first_uniform_predicate) & 1) != 0) add("UP", i);
    return text;
}

}  // namespace launchbox
