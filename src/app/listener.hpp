// Receives progress and remarks while a call works. The command line prints them; by default they are dropped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace launchbox {

/// Progress: this share of the work is done; `what` is being worked on.
using progress_function = std::function<void(const std::string& what, std::size_t done, std::size_t total)>;

struct listener {
    /// A remark beside the result.
    std::function<void(const std::string& text)> say = [](const std::string&) {};
    /// A part of the work begins, and ends when the returned function is destroyed. `unit`: what is counted.
    std::function<progress_function(const std::string& unit)> begin_progress = [](const std::string&) {
        return [](const std::string&, std::size_t, std::size_t) {};
    };
};

}  // namespace launchbox
