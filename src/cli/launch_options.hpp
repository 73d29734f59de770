// The options that say what a kernel uses and how it is launched; shared by `occupancy` and `suggest`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "app/launch_inputs.hpp"

namespace launchbox::cli {

struct launch_options {
    launch_inputs typed;                                                    ///< what CLI11 reads
    std::optional<std::string> shared, dynamic_shared, max_dynamic_shared;  ///< as the user typed them
    std::string cache = "none", caching = "off", mode = "driver";           ///< likewise

    void add_to(CLI::App& app);

    /// Throws `error` for what was typed and has no value.
    [[nodiscard]] launch_inputs figures() const;
};

}  // namespace launchbox::cli
