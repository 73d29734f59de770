// Runs a program and collects its output. Commands are argument vectors and never pass through a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct subprocess_result {
    int exit_code = 0;           ///< 128 + the signal's number if a signal ended it, as in shells
    int signal = 0;              ///< the signal that ended it; 0: it exited, with any status
    std::string output;          ///< standard output and standard error, in the order of writing
    bool timed_out = false;      ///< ended by us, with its descendants, because its time was over
    double seconds = 0;          ///< wall time from start to end
    std::size_t peak_bytes = 0;  ///< peak memory of the largest among it and the children it waited for
};

struct subprocess_options {
    std::filesystem::path directory;                  ///< where it runs; empty: the current folder
    std::vector<std::string> environment;             ///< NAME=value, added to ours
    std::size_t output_cap = std::size_t{256} << 20;  ///< bytes; further output is read and discarded
    /// Seconds after which it is killed with all its descendants. When it exits, processes that it leaves behind are
    /// killed, too, including daemons. An interrupt (process/interrupt.hpp) acts like the time limit. 0: no limit, and
    /// Ctrl-C at the terminal reaches both processes.
    double time_limit = 0;
    const std::atomic<bool>* stop = nullptr;  ///< with a time limit: ends the program when it becomes true
};

/// Runs `arguments[0]` (looked up in PATH) with empty standard input and waits for it, but not for descendants that
/// keep its output open. It is killed when we end, however that happens; if we are killed, its descendants are, too.
/// Throws `error` with status `missing` if the program cannot be started, or `machine_error` if the machine has no room
/// for another process.
subprocess_result run(const std::vector<std::string>& arguments, const subprocess_options& options = {});

/// The signal that a shell reports about a program by an exit status from 129 to 159. 0 if none; other statuses, such
/// as 255 from ptxas after any error, are a program's own.
int signal_in_status(int exit_code);

/// The signal that ended the program itself, or a program that it ran.
int deadly_signal(const subprocess_result& ended);

/// "ended by signal 11", "ended with exit status 255".
std::string ending_of(const subprocess_result& ended);

/// The last line that is not blank, where programs report why they end; without the line feed.
std::string last_line(std::string_view output);

/// The executable of that name in PATH; empty if there is none.
std::filesystem::path find_in_path(const std::string& program);

}  // namespace launchbox
