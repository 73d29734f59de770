// Other views of recorded results: convergence, and comparisons of runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/report_output.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"

namespace launchbox::cli {

struct results_view_options {
    bool convergence = false, compare = false;
    std::optional<double> fail_slower;  ///< percent
    std::optional<std::string> map, by;
    std::string unit;
    bool portable = false;
    std::string within;  ///< "2" or "2%"; if empty, 2 %

    void add_to(CLI::App& verb);
    [[nodiscard]] bool any() const { return convergence || compare || portable || fail_slower || is_landscape(); }
    [[nodiscard]] bool is_landscape() const { return map || by; }
};

/// A map over parameters, or the best by the named properties; `svg`: a folder for pictures instead.
void show_landscape(const results_view_options& options, results_report found, const output_options& output,
                    const std::string& svg);

/// Shows the requested view, of which there must be one; not a landscape.
exit_status show_results_view(const results_view_options& options, results_report found, const output_options& output);

}  // namespace launchbox::cli
