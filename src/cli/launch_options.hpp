// The options that say what a kernel uses and how it is launched; shared by `occupancy` and `suggest`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <launchbox/occupancy.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/options.hpp"

namespace launchbox::cli {

/// Dynamic shared memory as an expression of threads: "4*threads", or a size such as 48K.
std::string dynamic_shared_expression(const std::string& text);

/// Bytes for a block of so many threads. Throws `error` for what is no expression, or a size that no block can have.
std::function<std::int64_t(int threads)> dynamic_shared_function(const std::string& text);

/// As the user typed them; `settings` and `resources` check and convert.
struct launch_options {
    std::optional<int> registers, barriers, max_threads;
    std::optional<std::string> shared, dynamic_shared, max_dynamic_shared;
    int carveout = -1;
    std::string cache = "none", caching = "off", mode = "driver";

    void add_to(CLI::App& app);

    /// What the kernel uses; what is not given is taken from `found`.
    [[nodiscard]] kernel_resources resources(const kernel_resources& found = {}) const;

    /// Dynamic shared memory as an expression of threads; "0" when none is given. Sizes such as 48K are expressions
    /// too.
    [[nodiscard]] std::string dynamic_expression() const;

    /// The settings for a launch with `dynamic_bytes`. Unless the user says otherwise, the limit of dynamic shared
    /// memory is raised as far as it goes, as a working program would have done.
    [[nodiscard]] launch_settings settings(const target& where, const kernel_resources& kernel,
                                           std::int64_t dynamic_bytes) const;
};

}  // namespace launchbox::cli
