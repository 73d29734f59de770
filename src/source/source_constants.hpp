// The integer constants defined in a file, in any branch of an #if.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "source/constant_expression.hpp"
#include "source/source_tokens.hpp"

namespace launchbox {

/// `#define NAME value`, `constexpr int NAME = value`, `const auto NAME = value`, `dim3 NAME(x, y)`.
struct constant_definition {
    std::string_view name;
    token_span value;
    bool block = false;  ///< a dim3; `value` is the content of its brackets
    int branch = -1;     ///< of the preprocessor
    int line = 0;
};

/// `source` must outlive them.
std::vector<constant_definition> constant_definitions(const source_text& source);

}  // namespace launchbox
