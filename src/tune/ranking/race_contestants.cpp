// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/race_contestants.hpp"

#include <algorithm>

namespace launchbox {

std::vector<std::size_t> race_contestants(const std::vector<tied_candidate>& all, const race_rules& rules)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].time.count > 0) order.push_back(i);
    const auto median = [&](std::size_t i) { return all[i].time.median; };
    std::ranges::stable_sort(order, {}, median);
    if (order.empty()) return order;
    const sample_summary& best = all[order.front()].time;
    std::erase_if(order, [&](std::size_t i) {
        return differs(best, all[i].time) && median(i) > best.median * (1 + rules.margin);
    });
    if (order.size() <= rules.max_contestants) return order;
    const auto half = order.begin() + static_cast<std::ptrdiff_t>(rules.max_contestants / 2);
    const auto ties = std::partition_point(
        half, order.end(), [&](std::size_t i) { return median(i) <= best.median * (1 + close_enough); });
    std::stable_sort(half, ties, [&](std::size_t a, std::size_t b) { return is_preferred(all[a], all[b]); });
    order.resize(rules.max_contestants);
    std::ranges::stable_sort(order, {}, median);
    return order;
}

}  // namespace launchbox
