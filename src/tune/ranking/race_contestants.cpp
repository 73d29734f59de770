// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/race_contestants.hpp"

#include <algorithm>

namespace launchbox {

std::vector<std::size_t> race_contestants(const std::vector<sample_summary>& times, const race_rules& rules)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i].count > 0) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i].median; });
    if (order.empty()) return order;
    const sample_summary& best = times[order.front()];
    std::erase_if(order, [&](std::size_t i) {
        return differs(best, times[i]) && times[i].median > best.median * (1 + rules.margin);
    });
    if (order.size() > rules.max_contestants) order.resize(rules.max_contestants);
    return order;
}

}  // namespace launchbox
