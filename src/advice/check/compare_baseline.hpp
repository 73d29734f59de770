// Compares the present kernels with a baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "advice/check/baseline.hpp"

namespace launchbox {

struct baseline_policy {
    bool unknown_fails = true;
    /// Whether kernels of this architecture would have been found if present; if empty, all would.
    std::function<bool(const std::string& architecture)> expected = {};
};

/// Compares all of `result.kernels` and updates its findings, its new and gone kernels and its counts. Findings are in
/// the order of the kernels.
void compare_baseline(const baseline& before, const baseline_policy& policy, check_result& result);

}  // namespace launchbox
