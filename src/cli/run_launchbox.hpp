// The command line of launchbox, for all programs that have it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "app/tuning/backends.hpp"
#include "support/error.hpp"

namespace CLI {
class App;
}

namespace launchbox::cli {

/// How `tune` works if other processes own the GPUs.
struct remote_tuning {
    std::function<void(CLI::App& verb)> add_options;
    backend_planner plan;  ///< replaces `plan_backends`
    /// For a process that works for another: replaces the whole verb. Empty for the process that coordinates.
    std::function<exit_status(const tune_spec&, const backend_request&)> serve;
};

/// Returns the exit status of `main`. `elsewhere`: how `tune` works with other processes; null: only on this machine.
/// `quiet`: errors are not printed, since another process prints the same.
int run_launchbox(int count, char** arguments, const remote_tuning* elsewhere = nullptr, bool quiet = false);

}  // namespace launchbox::cli
