// Recorded results as a map over their parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/tune/landscape_report.hpp"

namespace launchbox {

/// Throws `error` for names that there are not, and for a unit that nothing is known in.
landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit);

}  // namespace launchbox
