// What a verb says on standard error, beside its report.
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

/// One line of progress, rewritten in place, gone at the end; nothing where standard error is no terminal.
class progress_line {
public:
    /// `unit` is what is counted: "architectures".
    explicit progress_line(std::string unit);
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    void show(const std::string& what, std::size_t done, std::size_t total);
    void clear();  ///< before other lines are written

private:
    std::string unit_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point start_;
};

/// Says remarks, and shows progress as such a line.
listener terminal_listener();

}  // namespace launchbox::cli
