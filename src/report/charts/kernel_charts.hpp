// Charts of compiled kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "report/charts/run_charts.hpp"

namespace launchbox {

/// Registers, spills, stack and occupancy of kernels by architecture, and code size by template and architecture. Empty
/// if nothing is known.
std::vector<chart_group> kernel_charts(const std::vector<inspected_kernel>& kernels);

}  // namespace launchbox
