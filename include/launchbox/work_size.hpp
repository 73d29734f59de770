// launchbox: how much a launch of a body works on. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <launchbox/launch_extent.hpp>

namespace launchbox {

/// The grid for a launch of a body, instead of one block per tile; `elements` chooses among the tables of by_size.
struct blocks {
    launch_extent grid = 1;
    std::int64_t elements = -1;
};

/// How much a launch of a body works on: elements, of any integer type, or `blocks{...}`.
struct work_size {
    template <std::integral Elements>
    constexpr work_size(Elements in_elements) : elements(detail::kept(in_elements))
    {
    }
    constexpr work_size(const blocks& given) : elements(given.elements), grid(given.grid), has_grid(true) {}

    std::int64_t elements;
    launch_extent grid = 1;
    bool has_grid = false;
};

}  // namespace launchbox
