// The spec that `launchbox tune --init` writes: a kernel of a source, its arguments and its launch, as the source has
// them, and what can be tuned about it.
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

/// What the source does not tell is said in a comment at its line. Throws `error`, one line, where there is no kernel
/// to write about, or where it takes something that no spec can give it.
written_spec init_spec(const init_request& request, const listener& news = {});

}  // namespace launchbox
