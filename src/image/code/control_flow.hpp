// Where an instruction continues: branches, calls and ends in machine code of compute capability 7.5 to 12.1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "image/code/operands.hpp"

namespace launchbox {

enum class flow_kind : std::uint8_t {
    next,             ///< continues with the next instruction
    branch,           ///< to `target`
    indirect_branch,  ///< to one of the places in a table
    call,             ///< of a function; returns
    leave,            ///< return to the caller
    end               ///< of the thread
};

struct flow {
    flow_kind kind = flow_kind::next;
    /// Depends on a predicate: if false, the next instruction follows.
    bool conditional = false;
    std::optional<std::int64_t> target;  ///< byte in the section, or outside of it; for BSSY: where threads reconverge
    instruction_operands operands;       ///< unless it is `next`

    [[nodiscard]] bool goes_on() const { return kind == flow_kind::next || kind == flow_kind::call || conditional; }
};

/// `nullopt` if it does not change the flow; then the table has its operands.
std::optional<flow> flow_of(instruction_word word, std::int64_t byte, int sm);

}  // namespace launchbox
