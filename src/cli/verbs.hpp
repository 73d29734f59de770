// The verbs, one file each. A verb adds its options to the command line and, when it is called, does its work and
// returns the exit status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace launchbox::cli {

struct tune_elsewhere;

/// What is the same for all verbs of one call.
struct call_context {
    std::vector<std::string> compiler_flags;    ///< all after "--": for the compiler, or a program and its arguments
    std::string command;                        ///< the command line as it was typed
    std::function<exit_status()> action;        ///< set by the verb that is called
    bool for_bisect = false;                    ///< what cannot be done is `exit_status::untestable`
    const tune_elsewhere* elsewhere = nullptr;  ///< how `tune` works with other processes; null: on this machine alone
};

void add_inspect(CLI::App& app, call_context& context);
void add_occupancy(CLI::App& app, call_context& context);
void add_suggest(CLI::App& app, call_context& context);
void add_bounds(CLI::App& app, call_context& context);
void add_capture(CLI::App& app, call_context& context);
void add_tune(CLI::App& app, call_context& context);
void add_check(CLI::App& app, call_context& context);
void add_devices(CLI::App& app, call_context& context);
void add_completion(CLI::App& app, call_context& context);
void add_man(CLI::App& app, call_context& context);
void add_bench_search(CLI::App& app, call_context& context);
void add_emit(CLI::App& app, call_context& context);
void add_results(CLI::App& app, call_context& context);
void add_report(CLI::App& app, call_context& context);

}  // namespace launchbox::cli
