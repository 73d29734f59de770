// Which row of the header that launchbox emit writes each GPU uses, and where that row was measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <vector>

#include "gpu/driver.hpp"
#include "report/tune/results_report.hpp"

namespace launchbox {

/// Fills `rows` of the report for each tunable: for the GPUs of its runs, if there are several or the user asks for
/// any; for these architectures; and for these GPUs.
void add_used_rows(results_report& report, const std::vector<compute_capability>& architectures,
                   const std::vector<gpu_device>& gpus);

}  // namespace launchbox
