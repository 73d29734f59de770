// Kernels that are instantiations of one declaration, and so share its attribute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"

namespace launchbox {

/// A sentence for each declaration and architecture whose kernels want different attributes: only one can be written.
/// Kernels with an unknown declaration are skipped.
std::vector<std::string> conflicting_declarations(const std::vector<bounds_answer>& answers);

}  // namespace launchbox
