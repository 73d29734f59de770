// Checks one limit of the budget for one kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "advice/check/budget.hpp"

namespace launchbox {

/// The combined rules for one kernel.
struct effective_limits {
    struct limit {
        double value = 0;
        int line = 0;
        /// Whether the rule is known to apply: false if it is for some architectures and the kernel's is unknown.
        bool applies = true;
    };
    std::array<std::optional<limit>, budget_limit_names.size()> limits;
    std::optional<int> threads;                                  ///< `nullopt`: the kernel's launch bound
    std::optional<std::int64_t> dynamic_shared;                  ///< `nullopt`: as below
    std::function<std::int64_t(int threads)> dynamic_shared_of;  ///< empty: the kernel's known size
};

/// The finding about the worst copy; `nullopt` if the limit holds for all. The caller sets `kernel`, `check`, `fails`
/// and `set_by`.
std::optional<check_finding> check_limit(budget_limit which, const effective_limits& limits,
                                         const checked_kernel& kernel);

}  // namespace launchbox
