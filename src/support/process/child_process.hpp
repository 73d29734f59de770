// Starts other processes and waits for them. Callers decide what to send them and when to end them: subprocess,
// worker_process, image/names/demangle_child, capture/session/observed_program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace launchbox {

/// A pipe that programs inherit only if it is passed to them. Closes its remaining ends; -1: closed or taken.
struct child_pipe {
    child_pipe();  ///< throws `machine_error` if there are no more descriptors
    ~child_pipe();
    child_pipe(const child_pipe&) = delete;
    child_pipe& operator=(const child_pipe&) = delete;

    int read = -1, write = -1;
};

constexpr int our_stream = -1, no_stream = -2;  // no_stream: /dev/null

struct child_options {
    std::array<int, 3> streams{our_stream, our_stream, our_stream};  ///< its standard input, output and error
    std::string directory = {};                                      ///< where it runs; empty: the current folder
    /// NAME=value; replaces our variables of these names
    std::vector<std::string> environment = {};
    std::string number_variable = {};                        ///< a variable to set to its process number; may be empty
    bool own_group = false;                                  ///< so that its descendants can be ended with it
    bool ends_with_us = true;                                ///< killed when the thread that started it ends
    std::size_t memory_limit = 0;                            ///< bytes of address space (RLIMIT_AS); 0: inherited
    int niceness = 0;                                        ///< 0 to 19; higher values give way to others
    std::vector<std::pair<int, sighandler_t>> signals = {};  ///< handlers to set; ignored signals stay so
    const sigset_t* blocked = nullptr;                       ///< signals to block; null: those that the caller blocks
};

struct started_child {
    pid_t process = 0;
    int failure = 0;  ///< errno if it could not be started; 0: it runs
};

/// Starts `arguments[0]`, looked up in PATH. Does not copy page tables, so it is as fast from a large process as from a
/// small one.
started_child start_program(const std::vector<std::string>& arguments, const child_options& options);

/// Starts a copy of this process, with only the calling thread, that calls `body` and ends.
started_child start_copy(const child_options& options, const std::function<void()>& body);

struct child_ending {
    int exit_code = 0;           ///< 128 + the signal's number if a signal ended it, as in shells
    int signal = 0;              ///< the signal that ended it; 0: it exited, with any status
    std::size_t peak_bytes = 0;  ///< peak memory of the largest among it and the children it waited for
};

/// Waits for its end; with the option WNOHANG, empty while it runs. All values are 0 if SIGCHLD is ignored.
std::optional<child_ending> wait_for_child(pid_t process, int options = 0);

}  // namespace launchbox
