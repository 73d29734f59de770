// Finds the declaration of a kernel that contains a given word of source text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/source_tokens.hpp"

namespace launchbox {

/// A declaration as the compiler reads it: without preprocessor branches that exclude the one with its __global__.
struct kernel_declaration {
    std::vector<const source_token*> head;  ///< from its first word to before the parameters
    std::vector<const source_token*> tail;  ///< from after the parameters to before its `{` or `;`
    std::size_t name = 0;                   ///< of the function, in `head`
    std::size_t qualified_name = 0;         ///< where `a::b::name` begins, in `head`
};

struct found_declaration {
    std::optional<kernel_declaration> declaration;
    std::string refusal;  ///< one sentence, if there is none
};

/// Reads the declaration of `kernel` that contains `source.tokens[anchor]`.
found_declaration read_kernel_declaration(const source_text& source, std::size_t anchor, std::string_view kernel);

/// For each preprocessor branch, whether it can be compiled together with this one; -1 is the file itself.
std::vector<bool> branches_beside(const source_text& source, int branch);

}  // namespace launchbox
