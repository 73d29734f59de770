// Who hears what goes on while a call works: the command line prints it, and whoever sets nothing hears nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace launchbox {

/// So much of the work is done; `what` is being worked on.
using progress_function = std::function<void(const std::string& what, std::size_t done, std::size_t total)>;

struct listener {
    /// A remark beside the result.
    std::function<void(const std::string& text)> say = [](const std::string&) {};
    /// A part of the work begins, and ends when the function that is returned is destroyed. `unit`: what is counted.
    std::function<progress_function(const std::string& unit)> begin_progress = [](const std::string&) {
        return [](const std::string&, std::size_t, std::size_t) {};
    };
};

}  // namespace launchbox
