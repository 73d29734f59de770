// The error that ends a run whose baseline cannot be measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "support/error.hpp"
#include "support/expression/parameter_value.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

inline error baseline_failed(const assignment& parameters, const assignment& workload, const measurement& measured)
{
    return error(fmt::format("the baseline ({}){} cannot be measured: {}: {}", parameter_text(parameters),
                             workload.values.empty() ? "" : " with " + parameter_text(workload),
                             words_of(measured.status), measured.reason),
                 "all others are compared with it; fix it, or use another baseline in [tunable]");
}

}  // namespace launchbox
