// Which rows GPUs have in the header that launchbox emit writes of recorded runs, and where those were measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <vector>

#include "gpu/driver.hpp"
#include "report/tune/results_report.hpp"

namespace launchbox {

/// Fills `rows` of the report, for each tunable: the GPUs of its runs, where they are several or something is asked
/// for; these architectures; and these GPUs.
void add_used_rows(results_report& report, const std::vector<compute_capability>& architectures,
                   const std::vector<gpu_device>& gpus);

}  // namespace launchbox
