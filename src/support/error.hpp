// The one exception of launchbox, thrown where bad input meets us and printed by the command line as two lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace launchbox {

/// What the process exits with; the same numbers for every verb.
enum class exit_status {
    done = 0,
    check_failed = 1,  ///< the work is done, and a check that the user asked for failed
    bad_input = 2,     ///< the input or the command line is wrong
    missing = 3,       ///< a compiler, GPU or library is missing
    interrupted = 4,   ///< stopped by the user; what was finished is kept
    untestable =
        125,  ///< only where the user asked for it: nothing could be checked, as `git bisect run` wants to know
};

/// `what()` says what is wrong and where, `hint()` what to do about it (may be empty).
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

/// What the machine could not give just now: disk, memory, processes, descriptors. No input is wrong, and the same may
/// succeed when it is tried again (process/machine_failure.hpp).
class machine_error : public error {
public:
    using error::error;
};

}  // namespace launchbox
