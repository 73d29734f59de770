// Reads nvdisasm's output without operands: instruction names, addresses, and branch targets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "image/code/code_traffic.hpp"

namespace launchbox {

/// Splits a line of nvdisasm's output, "  /*01a0*/   @!P0 BRA `(.L_x_3) ;", into 0x1a0 and the rest; `nullopt` if it
/// has no address.
std::optional<std::pair<std::uint64_t, std::string_view>> address_and_rest(std::string_view line);

struct disassembled_instruction {
    std::uint64_t byte = 0;  ///< in its section
    std::string name;        ///< "LDG.E.128"
    std::string label;       ///< branch target; empty if none, or computed
};

/// One section of code: `.text.KERNEL`.
struct disassembled_code {
    std::string section;
    std::vector<disassembled_instruction> instructions;
    std::unordered_map<std::string, std::uint64_t> labels;  ///< bytes in the section
};

/// Reads the output of `nvdisasm --print-code` line by line; passes each section to `found` when it ends.
class disassembly_reader {
public:
    explicit disassembly_reader(std::function<void(const disassembled_code&)> found) : found_(std::move(found)) {}

    void line(std::string_view text);
    void finish();

private:
    std::function<void(const disassembled_code&)> found_;
    disassembled_code code_;
    std::vector<std::string> waiting_;  // labels before the next instruction
};

/// `place_of(byte)` gives the line of an instruction.
code_traffic traffic_of(const disassembled_code& code, const std::function<std::uint32_t(std::uint64_t)>& place_of);

}  // namespace launchbox
