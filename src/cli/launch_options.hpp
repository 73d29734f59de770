// Options for a kernel's resources and launch, common to `occupancy` and `suggest`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "app/launch_inputs.hpp"

namespace launchbox::cli {

struct launch_options {
    launch_inputs typed;                                                    ///< filled by CLI11
    std::optional<std::string> shared, dynamic_shared, max_dynamic_shared;  ///< as typed
    std::string cache = "none", caching = "off", mode = "driver";           ///< likewise

    void add_to(CLI::App& app);

    /// Throws `error` for invalid values.
    [[nodiscard]] launch_inputs figures() const;
};

}  // namespace launchbox::cli
