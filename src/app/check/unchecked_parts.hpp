// A gate that checked nothing must fail: for each input, and for each kernel on each named architecture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/check/check_result.hpp"
#include "app/check/check.hpp"

namespace launchbox {

/// With a pattern, the kernel may be in any of the inputs. An input with errors has its own exit status.
std::vector<unchecked_part> unchecked_parts(const check_request& request, const kernel_input& input);

}  // namespace launchbox
