// The kernel launches `kernel<<<grid, block, ...>>>(...)` in source text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/source_tokens.hpp"

namespace launchbox {

struct source_launch {
    std::string_view kernel;  ///< the function's name without namespaces and template arguments; empty: not a name
    std::vector<std::span<const source_token>> arguments;  ///< between <<< and >>>
    std::size_t first = 0, last = 0;                       ///< tokens: <<< and the first > of >>>
    int line = 0;                                          ///< of <<<
    int branch = -1;                                       ///< of the preprocessor
};

/// All that are complete. `source` has to outlive them.
std::vector<source_launch> read_source_launches(const source_text& source);

}  // namespace launchbox
