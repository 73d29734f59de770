// The charts of a recorded run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/charts/chart_data.hpp"
#include "report/tune/results_report.hpp"
#include "tune/ranking/run_comparison.hpp"

namespace launchbox {

/// The charts of one workload, with what belongs together in one group.
struct chart_group {
    std::string id;                      ///< as `chart::id`
    std::string title;                   ///< "Parameter surface"
    std::string text;                    ///< what is to be known of all of them
    std::vector<chart> charts;           ///< shown one at a time where there are several
    std::vector<std::string> tabs = {};  ///< the names of several: "min_blocks = 0"
};

/// What figures of winners say: "times as fast as the baseline", or as good by another objective.
std::string better_text(const shown_run& shown);

/// Over all workloads of the run: the winners against the baseline. Empty where nothing can be drawn.
std::vector<chart_group> run_charts(const shown_run& shown);

/// Of one workload, `shown.rankings[place]`.
std::vector<chart_group> workload_charts(const shown_run& shown, std::size_t place);

/// Time in B over time in A of every candidate that both have, of all workloads.
std::vector<chart_group> comparison_charts(const shown_run& a, const shown_run& b, const run_comparison& compared);

/// Letters, digits and - of a text, for ids and file names: at most 60.
std::string chart_id(std::string_view text);

}  // namespace launchbox
