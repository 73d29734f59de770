// SPDX-License-Identifier: Apache-2.0
#include "app/results/portable_rows.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "app/results/recorded_results.hpp"

namespace launchbox {

portability_report find_portable_rows(results_report found, double within)
{
    std::map<std::string, std::size_t> places;
    for (const shown_run& shown : found.runs) places.emplace(machine_name({&shown.run, shown.file}), places.size());
    sort_by_calls(found);
    std::ranges::stable_sort(found.runs, {}, [&](const shown_run& shown) {
        return places.at(machine_name({&shown.run, shown.file}));
    });
    std::vector<landscape_source> sources;
    for (const shown_run& shown : found.runs) sources.push_back({&shown.run, shown.file});
    portability rows = portability_of(sources);
    return {.found = std::move(found), .rows = std::move(rows), .within = within};
}

}  // namespace launchbox
