// Charts over the parameters of a workload's candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "report/charts/run_charts.hpp"

namespace launchbox {

/// Threads across, items down, one tab per min_blocks. If parameters have other names: the two most important numbers
/// with the most values, and the next as tabs. Each cell shows the winner, or the fastest of its candidates.
std::optional<chart_group> parameter_surfaces(const shown_run& shown, const ranking& workload);

/// Every candidate with known threads and resources.
std::optional<chart_group> occupancy_and_time(const std::vector<stored_result>& results, const ranking& workload);

}  // namespace launchbox
