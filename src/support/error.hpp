// The exception of launchbox, thrown for bad input and printed by the command line as two lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace launchbox {

/// The exit status of the process; the same for every verb.
enum class exit_status {
    done = 0,
    check_failed = 1,  ///< the work is done, but a check that the user asked for failed
    bad_input = 2,     ///< the input or the command line is wrong
    missing = 3,       ///< a compiler, GPU or library is missing
    interrupted = 4,   ///< stopped by the user; finished results are kept
    untestable = 125,  ///< only on request: nothing could be checked, for `git bisect run`
};

/// `what()` says what is wrong and where, `hint()` how to fix it (may be empty).
class error : public std::runtime_error {
public:
    explicit error(const std::string& what, std::string hint = {}, exit_status status = exit_status::bad_input)
        : std::runtime_error(what), hint_(std::move(hint)), status_(status)
    {
    }

    [[nodiscard]] const std::string& hint() const { return hint_; }
    [[nodiscard]] exit_status status() const { return status_; }

private:
    std::string hint_;
    exit_status status_;
};

/// A temporary lack of a resource of the machine: disk, memory, processes, descriptors. The input is not wrong, and
/// trying again may succeed (process/machine_failure.hpp).
class machine_error : public error {
public:
    using error::error;
};

}  // namespace launchbox
