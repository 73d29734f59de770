// SPDX-License-Identifier: Apache-2.0
#include "app/results/record_views.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "app/results/recorded_results.hpp"

namespace launchbox {

namespace {

std::vector<landscape_source> sources_of(const results_report& found)
{
    std::vector<landscape_source> sources;
    for (const shown_run& shown : found.runs) sources.push_back({&shown.run, shown.file});
    return sources;
}

}  // namespace

landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit)
{
    sort_by_calls(found);
    landscape drawn = landscape_of(sources_of(found), request);
    landscape_report report{.found = std::move(found), .drawn = std::move(drawn), .unit = unit};
    check_unit(report);
    return report;
}

portability_report find_portable_rows(results_report found, double within)
{
    std::map<std::string, std::size_t> places;
    for (const landscape_source& source : sources_of(found)) places.emplace(machine_name(source), places.size());
    sort_by_calls(found);
    std::ranges::stable_sort(found.runs, {}, [&](const shown_run& shown) {
        return places.at(machine_name({&shown.run, shown.file}));
    });
    portability rows = portability_of(sources_of(found));
    return {.found = std::move(found), .rows = std::move(rows), .within = within};
}

}  // namespace launchbox
