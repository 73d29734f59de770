// Selects which of many kernels are shown, and in which order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

enum class sort_key { registers, spills, stack, shared, code, occupancy, name };

/// "registers" and so on; `nullopt` for any other word.
std::optional<sort_key> parse_sort_key(std::string_view word);

std::string_view sort_key_name(sort_key key);

/// All names, in the order of the help text.
std::vector<std::string> sort_keys();

struct kernel_filter {
    bool spilling = false;         ///< only kernels that spill
    std::optional<sort_key> sort;  ///< `nullopt`: as found, or by spills with `spilling`
    std::optional<std::size_t> top;
};

struct kernel_selection {
    std::size_t spills_unknown = 0;  ///< kernels for which spills are unknown
    std::size_t not_shown = 0;       ///< left out because of `top`
    std::optional<sort_key> sorted_by = {};
};

/// Keeps in `kernels` what the filter selects. Costs are sorted descending, occupancy ascending (a block that cannot be
/// launched comes first), names as text. Unknown values come last; the sort is stable.
kernel_selection select_kernels(std::vector<inspected_kernel>& kernels, const kernel_filter& filter);

}  // namespace launchbox
