// Messages of a verb on standard error, besides its report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "app/listener.hpp"

namespace launchbox::cli {

/// Text that quotes what the user gave (names, expressions, paths), safe for the terminal and in its character set.
std::string shown(const std::string& text);

/// Prints "launchbox: text" as a line.
void say(const std::string& text);

/// One line of progress, rewritten in place and erased at the end; nothing if standard error is not a terminal.
class progress_line {
public:
    /// `unit` is what is counted: "architectures".
    explicit progress_line(std::string unit);
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    void show(const std::string& what, std::size_t done, std::size_t total);
    void clear();  ///< call before writing other lines

private:
    std::string unit_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point start_;
};

/// Prints remarks, and shows progress with `progress_line`.
listener terminal_listener();

}  // namespace launchbox::cli
