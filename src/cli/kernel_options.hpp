// The options that name inputs with kernels, and those for resources and a launch, common to `occupancy` and `suggest`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "app/input/kernel_input.hpp"
#include "app/launch_inputs.hpp"
#include "cli/report_output.hpp"

namespace launchbox::cli {

struct call_context;

struct kernel_options {
    kernel_request typed;                       ///< filled by CLI11
    std::string architectures;                  ///< as typed
    std::optional<std::string> dynamic_shared;  ///< likewise; only for verbs with `add_dynamic_shared`

    void add_to(CLI::App& app, bool files_required);
    void add_dynamic_shared(CLI::App& app);

    /// Throws `error` for invalid values.
    [[nodiscard]] kernel_request request(const call_context& context) const;

    /// For a verb that is called without a file: throws `error` for an option or flags that would do nothing then.
    void refuse_without_file(const std::string& verb, const call_context& context) const;
};

/// Adds to a report the images of these inputs that were not read: below the page, and as `skipped_images[]` in its
/// JSON.
report_forms with_skipped(report_forms forms, const std::vector<inspected_input>& inputs);

/// For a verb whose report has no place for it: reports missing code and debug builds on standard error.
void print_kinds_of_code(const kernel_input& input);

/// Prints the errors of all inputs to standard error.
void print_errors(const kernel_input& input);

struct launch_options {
    launch_inputs typed;                                                    ///< filled by CLI11
    std::optional<std::string> shared, dynamic_shared, max_dynamic_shared;  ///< as typed
    std::string cache = "none", caching = "off", mode = "driver";           ///< likewise

    void add_to(CLI::App& app);

    /// Throws `error` for invalid values.
    [[nodiscard]] launch_inputs figures() const;
};

}  // namespace launchbox::cli
