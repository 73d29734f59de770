// The protocol between the tool and the process of a [callback]: one JSON object per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "support/expression/parameter_value.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

/// A task: so many launches of one candidate on one workload, each of them checked.
struct callback_task {
    assignment parameters, workload;
    std::optional<assignment> reference = {};  ///< the candidate whose outputs are right; empty: not compared with one
    bool is_reference = false;                 ///< it is this one
    int samples = 1;                           ///< 0: it is only compiled
    bool cold = true;
    double absolute = 0, relative = 0;
};
std::string callback_line(const callback_task& task);

/// A phase, or an answer to a task of at most `max_samples`. Throws `error` for anything else.
worker_message callback_message_of(const std::string& line, std::size_t max_samples);

}  // namespace launchbox
