// Runs the user's program as if it had been started directly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace launchbox {

struct program_ending {
    int status = 0;  ///< as in shells: 128 + the signal's number if a signal ended it
    int signal = 0;  ///< 0: it exited
    double seconds = 0;
    pid_t process = 0;
};

struct program_environment {
    std::vector<std::pair<std::string, std::string>> variables;
    std::string own_number;  ///< a variable to set to the program's process number; may be empty
};

/// Runs `arguments[0]` (looked up in PATH) with our standard streams and waits for it. Ctrl-C reaches both processes;
/// signals sent only to us are passed on, and the third interrupt kills the program. Throws `error` if it cannot be
/// started.
program_ending run_observed(const std::vector<std::string>& arguments, const program_environment& environment);

}  // namespace launchbox
