// The other views of recorded results: convergence, and runs compared.
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

    void add_to(CLI::App& verb);
    [[nodiscard]] bool any() const { return convergence || compare || fail_slower; }
};

/// Shows the view that is asked for, of which there is one.
exit_status show_results_view(const results_view_options& options, results_report found, const output_options& output);

}  // namespace launchbox::cli
