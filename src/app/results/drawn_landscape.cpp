// SPDX-License-Identifier: Apache-2.0
#include "app/results/drawn_landscape.hpp"

#include <utility>
#include <vector>

#include "app/results/recorded_results.hpp"

namespace launchbox {

landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit)
{
    sort_by_calls(found);
    std::vector<landscape_source> sources;
    for (const shown_run& shown : found.runs) sources.push_back({&shown.run, shown.file});
    landscape drawn = landscape_of(sources, request);
    landscape_report report{.found = std::move(found), .drawn = std::move(drawn), .unit = unit};
    check_unit(report);
    return report;
}

}  // namespace launchbox
