// The verbs, one file each. A verb adds its options to the command line; when it is called, it does its work and
// returns the exit status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace launchbox::cli {

struct remote_tuning;

/// Data common to all verbs of one call.
struct call_context {
    std::vector<std::string> compiler_flags;   ///< all after "--": for the compiler, or a program and its arguments
    std::string command;                       ///< the command line as typed
    std::function<exit_status()> action;       ///< set by the verb that is called
    const CLI::App* runs_program = nullptr;    ///< the verb whose first argument begins a program's command line
    bool for_bisect = false;                   ///< failures become `exit_status::untestable`
    const remote_tuning* elsewhere = nullptr;  ///< how `tune` works with other processes; null: on this machine alone
};

using verb_adder = void(CLI::App& app, call_context& context);

verb_adder add_advise, add_inspect, add_occupancy, add_suggest, add_bounds, add_check, add_capture, add_tune,
    add_results, add_report, add_bench_search, add_emit, add_devices, add_completion, add_man;

/// The verbs of launchbox, in the order of --help; launchbox-mpi only has `tune`, and both have `completion` and `man`.
inline constexpr verb_adder* verbs_of_launchbox[] = {
    add_advise, add_inspect, add_occupancy, add_suggest,      add_bounds, add_check,  add_capture,
    add_tune,   add_results, add_report,    add_bench_search, add_emit,   add_devices};

/// The two examples that end each verb's --help; the tests run them.
void add_examples(CLI::App& app, const std::string& first, const std::string& second);

}  // namespace launchbox::cli
