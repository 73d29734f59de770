// Runs a program and collects what it prints. Commands are argument vectors; no shell ever sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct subprocess_result {
    int exit_code = 0;       ///< 128 + the signal's number when a signal ended it, as shells say
    int signal = 0;          ///< the signal that ended it; 0: it exited, with any status
    std::string output;      ///< standard output and standard error together, in the order in which they were written
    bool timed_out = false;  ///< ended by us, with all that it had started, because its time was over
    double seconds = 0;      ///< of wall time, from its start to its end
    std::size_t peak_bytes = 0;  ///< of memory, in the largest of it and of what it has waited for
};

struct subprocess_options {
    std::filesystem::path directory;                  ///< where it runs; empty: here
    std::vector<std::string> environment;             ///< NAME=value, added to ours
    std::size_t output_cap = std::size_t{256} << 20;  ///< bytes; the rest is read and dropped
    /// Seconds after which it is killed with all processes that it has started. When it exits, processes that it leaves
    /// behind are killed, too, daemons included. An interrupt (process/interrupt.hpp) ends it like the time limit. 0:
    /// no limit, and Ctrl-C at the terminal reaches it as it reaches us.
    double time_limit = 0;
    const std::atomic<bool>* stop = nullptr;  ///< with a time limit: when it becomes true the program is ended, too
};

/// Runs `arguments[0]` (looked up in PATH) with standard input empty and waits for it: not for what it has started and
/// holds its output open. It is killed when we end, however that happens, with all that it has started if we are
/// killed. Throws `error` with status `missing` when the program cannot be started; `machine_error` where the machine
/// has no room for one more.
subprocess_result run(const std::vector<std::string>& arguments, const subprocess_options& options = {});

/// The signal that a shell tells of what it ran, by an exit status from 129 to 159. 0: none; other statuses, such as
/// 255 of ptxas after any error, are a program's own.
int signal_in_status(int exit_code);

/// The signal that ended the program itself, or what it ran.
int deadly_signal(const subprocess_result& ended);

/// "ended by signal 11", "ended with exit status 255".
std::string ending_of(const subprocess_result& ended);

/// The last line that is not blank, where programs say why they end; without the line feed.
std::string last_line(std::string_view output);

/// Where PATH has an executable of that name; empty when it has none.
std::filesystem::path find_in_path(const std::string& program);

}  // namespace launchbox
