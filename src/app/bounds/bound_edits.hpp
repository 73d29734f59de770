// Writes recommended launch bounds into the source that they were found for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/kernel_trials.hpp"

namespace launchbox {

/// A message about a kernel that is not edited.
struct edit_remark {
    std::string text;
    std::vector<std::string> to_paste = {};  ///< lines to be written by hand
};

struct edited_source {
    std::string text;
    std::vector<edit_remark> remarks;
    bool refused = false;  ///< some kernel could not be edited
};

/// `before` is the source as it was compiled; `answers` has one answer per element of `trials`, with those of one
/// kernel next to each other.
edited_source edit_bounds(const std::string& source, const std::string& before,
                          const std::vector<kernel_trials>& trials, const std::vector<bounds_answer>& answers);

}  // namespace launchbox
