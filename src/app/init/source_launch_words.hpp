// The words of a launch in a source: grid, block, shared memory and arguments; and the sizes of buffers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/init/spec_expressions.hpp"

namespace launchbox {

struct launch_words {
    extent_words grid, block;
    placed_words shared;               ///< empty: none is asked for, or it is not known
    std::vector<placed_words> passed;  ///< arguments of the kernel; empty: not known
};

launch_words words_of(const source_launch& launch, const source_view& view, const spec_expressions& expressions);

/// The size of the memory that a host variable or a thrust vector was given: bytes, or elements.
struct allocated_words {
    placed_words size;
    bool is_elements = false;
};
std::optional<allocated_words> allocation_of(std::string_view variable, std::size_t seen_from, const source_view& view);

/// The variable in an argument: "d_out", "d_out + 1", "thrust::raw_pointer_cast(v.data())".
std::optional<std::string_view> variable_in(const placed_words& argument, const source_view& view);

}  // namespace launchbox
