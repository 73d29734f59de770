// Starts other processes and waits for them. What is said to them and when they are ended is the callers': subprocess,
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
    std::string directory = {};                                      ///< where it runs; empty: here
    /// NAME=value; replaces our variables of these names
    std::vector<std::string> environment = {};
    std::string number_variable = {};  ///< a variable that gets the number of its process; empty: none does
    bool own_group = false;            ///< so that what it starts can be ended with it
    bool ends_with_us = true;          ///< killed when the thread that starts it ends
    std::size_t memory_limit = 0;      ///< bytes of address space (RLIMIT_AS); 0: as we have it
    int niceness = 0;                  ///< 0 to 19; above 0 it gives way to others
    std::vector<std::pair<int, sighandler_t>> signals = {};  ///< set anew; others: ignored where we ignore them
    const sigset_t* blocked = nullptr;                       ///< signals; null: those that the caller blocks
};

struct started_child {
    pid_t process = 0;
    int failure = 0;  ///< why it could not be started, an errno; 0: it runs
};

/// Starts `arguments[0]`, looked up in PATH. Copies no memory: from a large process as fast as from a small one.
started_child start_program(const std::vector<std::string>& arguments, const child_options& options);

/// Starts a copy of this process, with the calling thread alone, that calls `body` and ends.
started_child start_copy(const child_options& options, const std::function<void()>& body);

struct child_ending {
    int exit_code = 0;           ///< 128 + the signal's number when a signal ended it, as shells say
    int signal = 0;              ///< the signal that ended it; 0: it exited, with any status
    std::size_t peak_bytes = 0;  ///< of memory, in the largest of it and of what it has waited for
};

/// Waits for its end; with WNOHANG as option empty while it runs. All is 0 where SIGCHLD is ignored.
std::optional<child_ending> wait_for_child(pid_t process, int options = 0);

}  // namespace launchbox
