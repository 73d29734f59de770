// The lines that define a bound for each architecture, above the declaration of a kernel, and where to put them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "advice/bounds/kernel_declaration.hpp"
#include "source/source_tokens.hpp"

namespace launchbox {

/// The lines that an earlier edit put above a declaration: our comment and the #if block below it.
struct own_block {
    std::size_t begin = 0, end = 0;  ///< whole lines, with the last line feed
    int line = 0, last_line = 0;
    std::vector<std::string_view> macros;
};

/// Those of one kernel, from top to bottom.
std::vector<own_block> find_own_blocks(std::string_view text, const source_text& source, std::string_view kernel);

/// Whether the lines can be found again later: exactly one #if ... #endif.
bool is_one_block(const std::vector<std::string>& lines);

/// The lines below the comment that marks them; empty if there are none.
std::string preamble_text(std::string_view kernel, const std::vector<std::string>& lines, std::string_view line_feed);

/// The place for lines above a declaration and its comments, in the preprocessor branch of its __global__.
std::size_t top_of_declaration(std::string_view text, const source_text& source, const kernel_declaration& declaration);

}  // namespace launchbox
