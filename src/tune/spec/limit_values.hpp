// Limits of the GPU under the names that a spec's expressions use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/driver.hpp"
#include "launchbox/sm_limits.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox {

/// Names that expressions may use beside parameters: "sm.max_threads" and the like, and "device.sms".
using limit_values = named_constants;

/// The sm.* names of the table's row, and device.* where a GPU is given.
limit_values limits_for_expressions(const sm_limits& limits, const gpu_device* gpu);

/// Throws `expression_error` for a name that begins with sm. or device. and is not in `limits`, and suggests what to
/// do.
void refuse_unknown_limits(const value_expression& expression, const limit_values& limits);

}  // namespace launchbox
