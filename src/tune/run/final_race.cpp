// SPDX-License-Identifier: Apache-2.0
#include "tune/run/final_race.hpp"

#include <algorithm>
#include <numeric>

#include "support/sample_statistics.hpp"

namespace launchbox {

namespace {

// Those still in the race, the lowest median first.
std::vector<std::size_t> by_median(std::vector<std::size_t> who, const std::vector<sample_summary>& now)
{
    std::ranges::stable_sort(who, {}, [&](std::size_t i) { return now[i].median; });
    return who;
}

// By how much the others may differ from the first, as far as is known.
double widest_difference(const std::vector<std::size_t>& in_race, const std::vector<sample_summary>& now)
{
    const sample_summary& first = now[in_race.front()];
    double widest = 0;
    for (const std::size_t i : in_race)
        if (i != in_race.front()) widest = std::max({widest, now[i].high / first.low - 1, first.high / now[i].low - 1});
    return widest;
}

}  // namespace

race_outcome run_final_race(std::size_t contestants, std::optional<std::size_t> baseline, const race_rules& rules,
                            const std::function<std::optional<double>(std::size_t)>& time)
{
    race_outcome result;
    result.rounds_ns.resize(contestants);
    std::vector<std::size_t> in_race(contestants), out;  // `out`: the last to fall out comes first
    std::iota(in_race.begin(), in_race.end(), std::size_t{0});
    std::vector<sample_summary> now(contestants);
    const auto fall_out = [&](std::size_t who) { out.insert(out.begin(), who); };

    for (int round = 0; round < rules.max_rounds && in_race.size() > 1; ++round) {
        // Every round begins with another one: what a candidate does to clocks and caches meets all alike.
        std::vector<std::size_t> failed;
        for (std::size_t turn = 0; turn < in_race.size(); ++turn) {
            const std::size_t who = in_race[(turn + static_cast<std::size_t>(round)) % in_race.size()];
            const std::optional<double> median = time(who);
            if (median)
                result.rounds_ns[who].push_back(*median);
            else
                failed.push_back(who);
        }
        for (const std::size_t who : failed) {
            std::erase(in_race, who);
            fall_out(who);
        }
        for (const std::size_t who : in_race) now[who] = summarise(result.rounds_ns[who]);
        if (round + 1 < rules.fewest_rounds || in_race.empty()) continue;
        in_race = by_median(in_race, now);
        while (in_race.size() > 1 && differs(now[in_race.front()], now[in_race.back()])) {
            fall_out(in_race.back());
            in_race.pop_back();
        }
        if (in_race.size() > 1 && widest_difference(in_race, now) <= rules.close_enough) break;
    }

    in_race = by_median(in_race, now);
    result.equal = in_race.size() > 1;
    if (result.equal) result.equal_within = widest_difference(in_race, now);
    if (baseline && std::ranges::find(in_race, *baseline) != in_race.end()) {
        std::erase(in_race, *baseline);
        in_race.insert(in_race.begin(), *baseline);
    }
    result.order = in_race;
    result.order.insert(result.order.end(), out.begin(), out.end());
    return result;
}

}  // namespace launchbox
