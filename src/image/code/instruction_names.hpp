// What an instruction is by the name that nvdisasm prints: "LDG.E.128.CONSTANT".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "image/code/code_traffic.hpp"

namespace launchbox {

struct instruction_kind {
    instruction_class which = instruction_class::other;
    bool known = false;
    /// Of loads, stores, atomics and copies.
    std::optional<memory_use> memory;
};

/// Of a name with its suffixes, without predicate and operands.
instruction_kind kind_of_instruction(std::string_view name);

}  // namespace launchbox
