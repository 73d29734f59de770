// The worker's own kernels, as PTX that the driver of any GPU compiles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// PTX with these kernels:
///   launchbox_checksum(data, bytes, result): adds to *result what `checksum` (buffers.hpp) gives for the data,
///     which is aligned to 8; any number of blocks of a multiple of 32 threads.
///   launchbox_count_other(data, bytes, value, result): adds to *result how many bytes are not `value`.
///   launchbox_count_poison(data, count, bytes, result): adds to *result how many of `count` elements of `bytes` hold
///     the poison.
///   launchbox_compare_TYPE(output, reference, count, bytes, absolute, relative, result): what `output_comparison`
///     (compare_outputs.hpp) does with `count` elements of `bytes`. result[0] += elements that differ; result[1] is
///     raised to the complement of the first one's index, and result[2] to the bits of the largest distance;
///     result[3] += those of them that still hold the poison.
///   launchbox_fill_TYPE(filling_parameters...): what `fill_elements` (element_filling.hpp) does.
///   launchbox_block(flag, nanoseconds): waits until *flag is not 0, but not longer; then it writes 2 to it.
std::string helper_module_ptx();

/// "launchbox_compare_f32".
std::string comparison_kernel_for(const element_type& type);

}  // namespace launchbox
