// `launchbox bounds --apply` and `--revert`: the attribute is written into the source, or taken back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/kernel_trials.hpp"
#include "support/error.hpp"

namespace launchbox::cli {

/// One kernel with its answers for all architectures.
struct answered_kernel {
    std::vector<const kernel_trials*> trials;
    std::vector<const bounds_answer*> answers;  ///< one for each of `trials`
};

/// `answers` are those of `trials`, one for each, brought together.
std::vector<answered_kernel> by_kernel(const std::vector<kernel_trials>& trials,
                                       const std::vector<bounds_answer>& answers);

/// Shows the difference and writes it, with a backup. `before` is the source as it was compiled. `quiet_output`:
/// standard output belongs to the report. Kernels that cannot be edited are named, with the text to paste, and the
/// status is `bad_input`.
exit_status apply_bounds(const std::string& source, const std::string& before,
                         const std::vector<answered_kernel>& kernels, bool quiet_output);

/// Undoes the last --apply on this file.
exit_status revert_bounds(const std::string& source);

}  // namespace launchbox::cli
