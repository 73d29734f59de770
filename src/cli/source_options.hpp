// The options of verbs that compile the kernels of one source with other launch bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "app/bounds/source_bounds.hpp"
#include "cli/verbs.hpp"

namespace launchbox::cli {

struct source_options {
    source_bounds_request typed;         // what CLI11 reads
    std::string architectures, threads;  // as typed
    std::optional<std::string> dynamic_shared, max_dynamic_shared;

    void add_to(CLI::App& verb);
    /// Each text is read here, once. Throws `error` where one cannot be read.
    [[nodiscard]] source_bounds_request request(const call_context& context) const;
};

}  // namespace launchbox::cli
