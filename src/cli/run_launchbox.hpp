// The command line of launchbox, for the programs that have one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "app/tuning/backends.hpp"
#include "support/error.hpp"

namespace CLI {
class App;
}

namespace launchbox::cli {

/// How `tune` works where other processes have the GPUs.
struct remote_tuning {
    std::function<void(CLI::App& verb)> add_options;
    backend_planner plan;  ///< in place of `plan_backends`
    /// Of a process that does what another asks: in place of the whole verb. Empty: this is the one that asks.
    std::function<exit_status(const tune_spec&, const backend_request&)> serve;
};

/// What `main` returns. `elsewhere`: how `tune` works with other processes; null: on this machine alone. `quiet`:
/// nothing is said of what is wrong, since another process says the same.
int run_launchbox(int count, char** arguments, const remote_tuning* elsewhere = nullptr, bool quiet = false);

}  // namespace launchbox::cli
