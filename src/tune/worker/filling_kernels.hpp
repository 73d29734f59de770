// The kernels that fill buffers on the GPU, as PTX: the same bits as `fill_elements` makes on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tune/worker/element_filling.hpp"

namespace launchbox {

/// The parameters of every filling kernel, in this order.
struct filling_parameters {
    std::uint64_t data = 0;   ///< address, aligned to 8
    std::uint64_t count = 0;  ///< elements
    std::uint64_t bytes = 0;  ///< of an element
    std::uint64_t seed = 0;
    std::uint32_t sequence = 0;  ///< 1: each element is its index
    std::uint32_t whole = 0;     ///< 1: what is behind the first 64 bits is random as well
    std::uint64_t smallest = 0;  ///< of integers; of floating-point numbers the bits of `low`
    std::uint64_t range = 0;     ///< of integers; 0: all
    double low = 0, span = 0;    ///< of floating-point numbers
    double high = 0;             ///< what is not below it becomes `low`; NaN: everything stays

    std::array<void*, 11> pointers();
};
filling_parameters parameters_of(const element_filling& filling, std::uint64_t data, std::int64_t count);

/// "launchbox_fill_f32".
std::string filling_kernel_for(const element_filling& filling);

/// To be appended to a module.
std::string filling_kernels_ptx();

}  // namespace launchbox
