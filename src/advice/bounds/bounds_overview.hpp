// Joint conclusions from the answers for several kernels and architectures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/portable_bounds.hpp"

namespace launchbox {

/// The answers `first` to `first + count - 1` are for one kernel, one per architecture.
struct kernel_bounds {
    std::size_t first = 0, count = 0;
    std::optional<portable_bounds> portable;  ///< one bound for all of these architectures
};

struct bounds_overview {
    std::vector<kernel_bounds> kernels;  ///< in the order of the answers
    std::vector<std::string> conflicts;  ///< see `conflicting_declarations`
};

/// `answers`: grouped by kernel.
bounds_overview overview_of(const std::vector<bounds_answer>& answers);

}  // namespace launchbox
