// The spec that `launchbox tune --init` writes: a kernel of a source, with its arguments and launch as the source has
// them, and its tunable parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/init/kernel_choice.hpp"

namespace launchbox {

struct written_spec {
    std::string text;
    std::string kernel;                   ///< "sgemm<128, 128, 8, 8, 8>"
    std::vector<std::string> to_fill_in;  ///< names of the values that the source does not tell
};

/// Anything that the source does not determine is marked by a comment on its line. Throws `error`, one line, if there
/// is no kernel, or if the kernel has a parameter that a spec cannot supply.
written_spec init_spec(const init_request& request, const listener& news = {});

}  // namespace launchbox
