// Totals of each file, and one figure over all kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "advice/inspect/code_size.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "advice/inspect/stack_reserve.hpp"
#include "app/input/kernel_input.hpp"

namespace launchbox {

/// How the bytes of each file are distributed. The kernels need `code_hash`.
std::vector<code_size> code_sizes_of(const kernel_input& input);

struct reserved_stacks {
    std::vector<inspected_kernel> kernels;
    stack_reserves reserves;
};

reserved_stacks stack_reserves_of(const kernel_input& input);

/// The sizes of the input's images, as they are stored, and their files.
std::uint64_t image_bytes_of(const input_summary& summary);

}  // namespace launchbox
