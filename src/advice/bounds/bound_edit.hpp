// Writes the launch bound of one kernel into the source text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/bounds/unified_diff.hpp"

namespace launchbox {

struct bound_edit_request {
    std::string kernel;     ///< the function's name without namespaces: "merge"
    int declared_line = 0;  ///< of the __global__ token, from 1, as the compiler's front end reports it
    /// of the kernel's own __launch_bounds__ or __maxnreg__ token, if it has one
    std::optional<int> attribute_line = std::nullopt;
    /// what to write: "__launch_bounds__(256, 2)", "__maxnreg__(64)", "MERGE_BOUNDS"; empty: remove the present one
    std::string attribute = {};
    /// lines to put above the declaration, one #if ... #endif that defines `attribute`; may be empty. They follow a
    /// comment by which they are found again; those of an earlier edit are replaced, or removed.
    std::vector<std::string> preamble = {};
};

struct bound_edit {
    std::string text;     ///< the file with the edit; empty if refused
    std::string refusal;  ///< why not, in one sentence; empty if done
    int line = 0;         ///< of the attribute in the text before; 0 if refused
    std::string old;      ///< the attribute that was replaced or removed
};

/// Replaces the kernel's own attribute, or inserts one before the function's name. No other byte changes. Refuses
/// anything that it does not understand for certain: templates, declarations by macros, a text other than the compiled
/// one.
bound_edit edit_bound(std::string_view source, const bound_edit_request& request);

}  // namespace launchbox
