// Kernels that are instantiations of one declaration, and so share the attribute that is written there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"

namespace launchbox {

/// A sentence for each declaration and architecture whose kernels want different attributes: only one can be written.
/// Kernels whose declaration is not known are skipped.
std::vector<std::string> conflicting_declarations(const std::vector<bounds_answer>& answers);

}  // namespace launchbox
