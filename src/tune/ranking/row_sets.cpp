// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/row_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace launchbox {

namespace {

using gpu_mask = std::uint32_t;

double share_or_none(const portable_row& row, std::size_t gpu)
{
    return row.shares[gpu].value_or(0);
}

// One row per set of GPUs whose share reaches a threshold, for the maximal sets only.
struct covering {
    std::vector<gpu_mask> masks;
    std::vector<std::size_t> rows;
};

covering covering_at(const std::vector<portable_row>& rows, std::size_t gpus, double threshold)
{
    std::map<gpu_mask, std::pair<double, std::size_t>> best;  // the sum of the logarithms of its shares, and the row
    for (std::size_t r = 0; r < rows.size(); ++r) {
        gpu_mask mask = 0;
        double sum = 0;
        for (std::size_t g = 0; g < gpus; ++g)
            if (const double share = share_or_none(rows[r], g); share > 0 && share >= threshold) {
                mask |= gpu_mask(1) << g;
                sum += std::log(share);
            }
        if (mask == 0) continue;
        const auto [at, fresh] = best.try_emplace(mask, sum, r);
        if (!fresh && sum > at->second.first) at->second = {sum, r};
    }
    covering found;
    for (const auto& [mask, row] : best)
        if (std::ranges::none_of(best, [mask = mask](const auto& other) {
                return other.first != mask && (other.first & mask) == mask;
            })) {
            found.masks.push_back(mask);
            found.rows.push_back(row.second);
        }
    return found;
}

// The fewest rows with which every GPU reaches the threshold. Builds up subsets of the GPUs: the next row must cover
// the first GPU that the subset lacks.
std::vector<std::size_t> smallest_cover(const covering& from, std::size_t gpus)
{
    const gpu_mask all = static_cast<gpu_mask>((std::uint64_t(1) << gpus) - 1);
    constexpr int unreached = 1 << 20;
    std::vector<int> count(std::size_t(all) + 1, unreached);
    std::vector<std::size_t> by(std::size_t(all) + 1, 0);
    std::vector<gpu_mask> before(std::size_t(all) + 1, 0);
    count[0] = 0;
    for (gpu_mask covered = 0; covered < all; ++covered) {
        if (count[covered] == unreached) continue;
        const gpu_mask lacking = gpu_mask(1) << std::countr_one(covered);
        for (std::size_t m = 0; m < from.masks.size(); ++m) {
            if ((from.masks[m] & lacking) == 0) continue;
            const gpu_mask next = covered | from.masks[m];
            if (count[covered] + 1 >= count[next]) continue;
            count[next] = count[covered] + 1;
            by[next] = m;
            before[next] = covered;
        }
    }
    std::vector<std::size_t> rows;
    if (count[all] == unreached) return rows;
    for (gpu_mask at = all; at != 0; at = before[at]) rows.push_back(from.rows[by[at]]);
    return rows;
}

// Assigns the best of these rows to each GPU; `worst_share` is 0 if a GPU has none.
portable_set set_of(const std::vector<portable_row>& rows, std::vector<std::size_t> chosen, std::size_t gpus)
{
    portable_set made{.rows = std::move(chosen)};
    double logs = 0;
    for (std::size_t g = 0; g < gpus; ++g) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < made.rows.size(); ++c)
            if (share_or_none(rows[made.rows[c]], g) > share_or_none(rows[made.rows[best]], g)) best = c;
        made.row_of.push_back(best);
        const double share = share_or_none(rows[made.rows[best]], g);
        if (g == 0 || share < made.worst_share) {
            made.worst = g;
            made.worst_share = share;
        }
        logs += share > 0 ? std::log(share) : -1e9;
    }
    made.mean_share = std::exp(logs / static_cast<double>(gpus));
    return made;
}

// Compares the worst share first, then the mean.
bool is_better(const portable_set& one, const portable_set& other)
{
    if (one.worst_share != other.worst_share) return one.worst_share > other.worst_share;
    return one.mean_share > other.mean_share * (1 + 1e-9);
}

// Exchanges one row after the other as long as the set improves.
portable_set improved(const std::vector<portable_row>& rows, portable_set made, std::size_t gpus)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t c = 0; c < made.rows.size(); ++c)
            for (std::size_t r = 0; r < rows.size(); ++r) {
                std::vector<std::size_t> other = made.rows;
                other[c] = r;
                portable_set tried = set_of(rows, std::move(other), gpus);
                if (!is_better(tried, made)) continue;
                made = std::move(tried);
                changed = true;
            }
    }
    return made;
}

// Removes unused rows and puts the others in the order of the GPUs.
portable_set tidied(const std::vector<portable_row>& rows, const portable_set& made, std::size_t gpus)
{
    std::vector<std::size_t> used;
    for (const std::size_t place : made.row_of)
        if (std::ranges::find(used, made.rows[place]) == used.end()) used.push_back(made.rows[place]);
    return set_of(rows, std::move(used), gpus);
}

// If trying every row costs too much, only those that are best somewhere or good everywhere are tried.
std::vector<std::size_t> promising(const std::vector<portable_row>& rows, std::size_t gpus)
{
    constexpr std::size_t of_each = 64;
    std::vector<std::size_t> found;
    const auto add_best = [&](const auto& worth) {
        std::vector<std::size_t> order(rows.size());
        for (std::size_t r = 0; r < rows.size(); ++r) order[r] = r;
        const std::size_t count = std::min(of_each, order.size());
        std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), std::greater(), worth);
        found.insert(found.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
    };
    for (std::size_t g = 0; g < gpus; ++g) add_best([&](std::size_t r) { return share_or_none(rows[r], g); });
    add_best([&](std::size_t r) {
        double sum = 0;
        for (std::size_t g = 0; g < gpus; ++g) sum += share_or_none(rows[r], g);
        return sum;
    });
    add_best([&](std::size_t r) {
        double least = 1;
        for (std::size_t g = 0; g < gpus; ++g) least = std::min(least, share_or_none(rows[r], g));
        return least;
    });
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// All shares from `least` on, in ascending order.
std::vector<double> thresholds_of(const std::vector<portable_row>& rows, std::size_t gpus, double least)
{
    std::vector<double> thresholds;
    for (const portable_row& row : rows)
        for (std::size_t g = 0; g < gpus; ++g)
            if (const double share = share_or_none(row, g); share > 0 && share >= least) thresholds.push_back(share);
    std::ranges::sort(thresholds);
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    return thresholds;
}

// Limits the number of rows and finds the best worst share, by a binary search over thresholds that begins at `low`.
std::vector<std::size_t> best_cover(const std::vector<portable_row>& rows, std::size_t gpus,
                                    const std::vector<double>& thresholds, std::size_t count, std::size_t& low)
{
    std::vector<std::size_t> chosen = smallest_cover(covering_at(rows, gpus, thresholds[low]), gpus);
    if (chosen.empty() || chosen.size() > count) return {};
    std::size_t high = thresholds.size();
    while (low + 1 < high) {
        const std::size_t middle = low + (high - low) / 2;
        std::vector<std::size_t> tried = smallest_cover(covering_at(rows, gpus, thresholds[middle]), gpus);
        if (!tried.empty() && tried.size() <= count) {
            low = middle;
            chosen = std::move(tried);
        } else {
            high = middle;
        }
    }
    return chosen;
}

std::vector<portable_set> exact_sets(const std::vector<portable_row>& rows, std::size_t gpus)
{
    const std::vector<double> thresholds = thresholds_of(rows, gpus, 0);
    std::vector<portable_set> sets;
    std::size_t low = 0;  // feasible with fewer rows, so with more, too
    for (std::size_t count = 1; count <= gpus; ++count)
        if (std::vector<std::size_t> chosen = best_cover(rows, gpus, thresholds, count, low); !chosen.empty())
            sets.push_back(set_of(rows, std::move(chosen), gpus));
    return sets;
}

// The set after exchanging rows for promising ones.
portable_set improved_by(const std::vector<std::size_t>& promising, const std::vector<portable_row>& rows,
                         const portable_set& made, std::size_t gpus)
{
    // Indices among the promising rows and the set's own.
    std::vector<portable_row> few;
    std::vector<std::size_t> from = promising;
    from.insert(from.end(), made.rows.begin(), made.rows.end());
    for (const std::size_t place : from) few.push_back(rows[place]);
    std::vector<std::size_t> start;
    for (std::size_t c = 0; c < made.rows.size(); ++c) start.push_back(promising.size() + c);
    portable_set better = tidied(few, improved(few, set_of(few, start, gpus), gpus), gpus);
    for (std::size_t& row : better.rows) row = from[row];
    return better;
}

std::vector<portable_set> greedy_sets(const std::vector<portable_row>& rows, std::size_t gpus)
{
    std::vector<portable_set> sets;
    std::vector<std::size_t> chosen;
    for (std::size_t count = 1; count <= gpus; ++count) {
        std::optional<portable_set> best;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::vector<std::size_t> tried = chosen;
            tried.push_back(r);
            portable_set made = set_of(rows, std::move(tried), gpus);
            if (!best || is_better(made, *best)) best = std::move(made);
        }
        chosen = best->rows;
        if (best->worst_share > 0) sets.push_back(std::move(*best));
    }
    return sets;
}

}  // namespace

portable_set fewest_rows(const std::vector<portable_row>& rows, std::size_t gpus, double least)
{
    portable_set made;
    if (gpus > max_exact_gpus) {
        for (portable_set& one : greedy_sets(rows, gpus))
            if (one.worst_share >= least && made.rows.empty()) made = std::move(one);
    } else if (const std::vector<std::size_t> some = smallest_cover(covering_at(rows, gpus, least), gpus);
               !some.empty()) {
        std::size_t low = 0;
        made = set_of(rows, best_cover(rows, gpus, thresholds_of(rows, gpus, least), some.size(), low), gpus);
    }
    return made.rows.empty() ? made : improved_by(promising(rows, gpus), rows, made, gpus);
}

std::vector<portable_set> best_row_sets(const std::vector<portable_row>& rows, std::size_t gpus)
{
    std::vector<portable_set> sets = gpus <= max_exact_gpus ? exact_sets(rows, gpus) : greedy_sets(rows, gpus);
    const std::vector<std::size_t> places = promising(rows, gpus);
    std::vector<portable_set> kept;
    for (const portable_set& made : sets) {
        portable_set better = improved_by(places, rows, made, gpus);
        if (!kept.empty() && better.worst_share <= kept.back().worst_share) continue;
        kept.push_back(std::move(better));
        if (kept.back().worst_share >= 1) break;
    }
    return kept;
}

}  // namespace launchbox
