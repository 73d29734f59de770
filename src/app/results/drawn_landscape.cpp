// SPDX-License-Identifier: Apache-2.0
#include "app/results/drawn_landscape.hpp"

#include <utility>
#include <vector>

#include "tune/exchange/call_order.hpp"

namespace launchbox {

landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit)
{
    std::vector<const run_info*> runs;
    std::vector<std::string> files;
    for (const shown_run& shown : found.runs) {
        runs.push_back(&shown.run.info);
        files.push_back(shown.file);
    }
    std::vector<shown_run> sorted;
    for (const std::size_t place : in_order_of_calls(runs, files)) sorted.push_back(std::move(found.runs[place]));
    found.runs = std::move(sorted);
    std::vector<landscape_source> sources;
    for (const shown_run& shown : found.runs) sources.push_back({&shown.run, shown.file});
    landscape drawn = landscape_of(sources, request);
    landscape_report report{.found = std::move(found), .drawn = std::move(drawn), .unit = unit};
    check_unit(report);
    return report;
}

}  // namespace launchbox
