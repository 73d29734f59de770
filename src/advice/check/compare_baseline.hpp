// Today's kernels against a baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "advice/check/baseline.hpp"

namespace launchbox {

struct baseline_policy {
    bool unknown_fails = true;
    /// Whether kernels of this architecture would have been found if they were there; empty: all would.
    std::function<bool(const std::string& architecture)> expected = {};
};

/// Compares all of `result.kernels` and adds to its findings, its new and gone kernels and its counts. Leaves the
/// findings in the order of the kernels.
void compare_baseline(const baseline& before, const baseline_policy& policy, check_result& result);

}  // namespace launchbox
