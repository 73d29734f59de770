// Maps of results as charts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart_data.hpp"
#include "report/tune/landscape_report.hpp"

namespace launchbox {

/// Two axes: a heat map in which the winner is framed. One: a bar for each value, with the interval of its time. A map
/// without axes, or one of which nothing is known in the unit that was asked for, is none: `nullopt`.
std::optional<chart> landscape_chart(const landscape_report& report, const landscape_map& map, const std::string& id);

/// One a map, with its values of `by` in the id. Throws `error` where there are too many to look at.
std::vector<chart> landscape_charts(const landscape_report& report);

}  // namespace launchbox
