// Classifies an instruction by the name that nvdisasm prints: "LDG.E.128.CONSTANT".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "image/code/code_traffic.hpp"

namespace launchbox {

struct instruction_kind {
    instruction_class which = instruction_class::other;
    bool known = false;
    /// For loads, stores, atomics and copies.
    std::optional<memory_use> memory;
};

/// `name` has its suffixes, but no predicate or operands.
instruction_kind kind_of_instruction(std::string_view name);

}  // namespace launchbox
