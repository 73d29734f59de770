// Which code the host never executes, because of a condition whose value the text tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "source/source_values.hpp"

namespace launchbox {

/// Whether the code at this token is in an untaken branch of an `if` or `if constexpr`, or behind a taken one that
/// returns. `instance`: arguments of the template around it.
bool is_never_reached(const source_values& values, std::size_t at, const template_values& instance = {});

/// Adds the values that variables must have for this token to be reached: those with which `if (threads == 256)` and
/// `case 256:` compare them.
void add_implied_values(const source_values& values, std::size_t at, template_values& instance);

}  // namespace launchbox
