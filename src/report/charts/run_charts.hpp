// Charts of a recorded run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart_data.hpp"
#include "report/tune/results_report.hpp"
#include "tune/ranking/run_comparison.hpp"

namespace launchbox {

/// Charts of one workload; related ones form a group.
struct chart_group {
    std::string id;                      ///< as `chart::id`
    std::string title;                   ///< "Parameter surface"
    std::string text;                    ///< description of all of them
    std::vector<chart> charts;           ///< shown one at a time if there are several
    std::vector<std::string> tabs = {};  ///< names of the charts if there are several: "min_blocks = 0"
};

/// What a winner's figure means: "times as fast as the baseline", or as good by another objective.
std::string better_text(const shown_run& shown);

/// Over all workloads of the run: the winners against the baseline. Empty if there is nothing to draw.
std::vector<chart_group> run_charts(const shown_run& shown);

/// Of one workload, `shown.rankings[place]`.
std::vector<chart_group> workload_charts(const shown_run& shown, std::size_t place);

/// Time in B over time in A for every candidate in both, on all workloads.
std::vector<chart_group> comparison_charts(const shown_run& a, const shown_run& b, const run_comparison& compared);

/// Letters, digits and - from a text, for ids and file names: at most 60.
std::string chart_id(std::string_view text);

}  // namespace launchbox
