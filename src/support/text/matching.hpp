// Finds which of several words is meant: patterns and misspellings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Whether a shell pattern (* ? [...]) or plain text matches this kernel by its mangled, full or short name.
bool matches_kernel(const std::string& pattern, const std::string& name, const std::string& demangled,
                    const std::string& short_form);

/// Whether an architecture given by the user includes this one, "sm_90a" or "compute_90": sm_90 includes sm_90a and
/// sm_90f, code for the same GPUs; with a letter it means only itself.
bool matches_architecture(const compute_capability& wanted, std::string_view name);

/// The candidate nearest to a misspelt word, if one is near; else empty.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace launchbox
