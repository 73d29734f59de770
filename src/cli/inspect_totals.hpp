// `inspect --size` and `inspect --stack-reserve`: each file as a whole, and all kernels together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/kernel_input.hpp"
#include "cli/options.hpp"

namespace launchbox::cli {

/// `input` outlives the forms. Its kernels have `code_hash`.
report_forms size_forms(const kernel_input& input);

report_forms stack_reserve_forms(const kernel_input& input);

/// The sizes of the inputs' images, as they are stored, and their files; for `check --size`.
std::uint64_t image_bytes_of(const input_summary& summary);

}  // namespace launchbox::cli
