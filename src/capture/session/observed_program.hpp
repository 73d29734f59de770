// Runs the user's program as if it had been started alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace launchbox {

struct program_ending {
    int status = 0;  ///< as shells have it: 128 + the signal's number when a signal ended it
    int signal = 0;  ///< 0: it exited
    double seconds = 0;
    pid_t process = 0;
};

struct program_environment {
    std::vector<std::pair<std::string, std::string>> variables;
    std::string own_number;  ///< a variable that gets the number of the program's process; empty: none does
};

/// Runs `arguments[0]` (looked up in PATH) with our standard streams and waits for it. Ctrl-C reaches it as it reaches
/// us; signals that are sent to us alone are passed on, and the third interrupt kills it. Throws `error` when it cannot
/// be started.
program_ending run_observed(const std::vector<std::string>& arguments, const program_environment& environment);

}  // namespace launchbox
