// Recorded results of several runs together: as a map over their parameters, and as rows that serve several GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/tune/landscape_report.hpp"
#include "report/tune/portability_report.hpp"

namespace launchbox {

/// Throws `error` for unknown names, and for a unit in which nothing was recorded.
landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit);

/// `within`: the accepted loss, 0.02 for 2 %. GPUs stand in the order in which their files were named. Throws `error`
/// for records that cannot be compared.
portability_report find_portable_rows(results_report found, double within);

}  // namespace launchbox
