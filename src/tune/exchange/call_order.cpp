// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/call_order.hpp"

#include <algorithm>
#include <map>

namespace launchbox {

std::vector<std::size_t> in_order_of_calls(const std::vector<const run_info*>& runs,
                                           const std::vector<std::string>& from)
{
    std::vector<std::vector<std::size_t>> files;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::size_t file = places.emplace(from[i], files.size()).first->second;
        files.resize(std::max(files.size(), file + 1));
        files[file].push_back(i);
    }
    for (std::vector<std::size_t>& file : files) {
        if (std::ranges::all_of(file, [&](std::size_t i) { return runs[i]->call.has_value(); }))
            std::ranges::stable_sort(file, {}, [&](std::size_t i) { return *runs[i]->call; });
        else
            std::ranges::stable_sort(file, {}, [&](std::size_t i) { return runs[i]->started; });
    }
    // Each file keeps its own order; among the next runs of all files, the one with the earliest time comes first.
    std::vector<std::size_t> order, next(files.size(), 0);
    while (order.size() < runs.size()) {
        std::size_t earliest = files.size();
        for (std::size_t file = 0; file < files.size(); ++file) {
            if (next[file] == files[file].size()) continue;
            if (earliest == files.size() ||
                runs[files[file][next[file]]]->started < runs[files[earliest][next[earliest]]]->started)
                earliest = file;
        }
        order.push_back(files[earliest][next[earliest]++]);
    }
    return order;
}

}  // namespace launchbox
