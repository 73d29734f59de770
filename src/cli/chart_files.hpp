// Charts as pictures: one SVG file each, in a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/charts/run_charts.hpp"
#include "report/tune/results_report.hpp"

namespace launchbox::cli {

/// Writes each as DIR/id.svg, creates the folder if necessary, and reports on standard error what was written. If two
/// have the same id, the second gets a number.
void write_charts(const std::string& folder, bool overwrite, const std::vector<chart>& charts);

/// All charts of these runs, with the run and the workload in their ids if there are several.
std::vector<chart> charts_of(const results_report& found);

}  // namespace launchbox::cli
