// Maps of results as charts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart_data.hpp"
#include "report/tune/landscape_report.hpp"

namespace launchbox {

/// With two axes: a heat map that frames the winner. With one: a bar for each value, with the interval of its time.
/// `nullopt` for a map without axes, or without a known value in the unit asked for.
std::optional<chart> landscape_chart(const landscape_report& report, const landscape_map& map, const std::string& id);

/// One chart per map, with its values of `by` in the id. Throws `error` if there are too many to look at.
std::vector<chart> landscape_charts(const landscape_report& report);

}  // namespace launchbox
