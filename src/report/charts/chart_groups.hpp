// Charts over the parameters of a workload's candidates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "report/charts/run_charts.hpp"

namespace launchbox {

/// Threads across, items down, one tab for each min_blocks; where parameters have other names, the two numbers with the
/// most values that matter most, and the next as tabs. Each cell is the winner, or the fastest of its candidates.
std::optional<chart_group> parameter_surfaces(const shown_run& shown, const ranking& workload);

/// Every candidate of which threads and resources are known.
std::optional<chart_group> occupancy_and_time(const std::vector<stored_result>& results, const ranking& workload);

}  // namespace launchbox
