// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/fleet_rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "support/error.hpp"
#include "tune/ranking/row_sets.hpp"

namespace launchbox {

namespace {

constexpr double rounding = 1e-9;

// A property that tells GPUs apart, and its limits in a range.
struct gpu_property {
    std::int64_t detail::gpu_properties::*value;
    std::int64_t gpu_range::*min;
    std::int64_t gpu_range::*max;
};
constexpr std::array<gpu_property, 4> gpu_property_list{
    {{&detail::gpu_properties::sms, &gpu_range::min_sms, &gpu_range::max_sms},
     {&detail::gpu_properties::memory_bytes, &gpu_range::min_memory_bytes, &gpu_range::max_memory_bytes},
     {&detail::gpu_properties::l2_bytes, &gpu_range::min_l2_bytes, &gpu_range::max_l2_bytes},
     {&detail::gpu_properties::memory_gb_per_second, &gpu_range::min_memory_gb_per_second,
      &gpu_range::max_memory_gb_per_second}}};

// GPUs that report the same properties, and so get the same row.
struct alike {
    detail::gpu_properties properties;
    std::vector<std::size_t> gpus;
    std::size_t row = 0;  // index among the rows of the segment
};

auto figures_of_gpu(const detail::gpu_properties& properties)
{
    return std::tuple(properties.sms, properties.memory_bytes, properties.l2_bytes, properties.memory_gb_per_second);
}

// Drops the properties that some GPUs do not report. Bandwidth depends on clocks, so it is used only if some GPUs
// differ in nothing else.
std::vector<detail::gpu_properties> comparable(std::vector<detail::gpu_properties> all)
{
    const auto leave_out = [&](std::int64_t detail::gpu_properties::*value) {
        for (detail::gpu_properties& one : all) one.*value = 0;
    };
    for (const auto value : {&detail::gpu_properties::l2_bytes, &detail::gpu_properties::memory_gb_per_second})
        if (std::ranges::any_of(all, [&](const detail::gpu_properties& one) { return one.*value == 0; }))
            leave_out(value);
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> kinds;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> without_bandwidth;
    for (const detail::gpu_properties& one : all) {
        kinds.insert(figures_of_gpu(one));
        without_bandwidth.emplace(one.sms, one.memory_bytes, one.l2_bytes);
    }
    if (kinds.size() == without_bandwidth.size()) leave_out(&detail::gpu_properties::memory_gb_per_second);
    return all;
}

// A round number near the middle of two figures: the first of the upper side.
std::int64_t border(std::int64_t low, std::int64_t high)
{
    std::int64_t step = 1;
    while (step * 10 <= (high - low) / 4) step *= 10;
    const std::int64_t middle = (low + (high - low) / 2 + step / 2) / step * step;
    return std::clamp(middle, low + 1, high);
}

using ranges_of_rows = std::vector<std::vector<gpu_range>>;

bool has_one_row(const std::vector<const alike*>& points)
{
    return std::ranges::all_of(points, [&](const alike* point) { return point->row == points.front()->row; });
}

// Splits the points by one property after the other, until each part has one row.
void split_points(const std::vector<const alike*>& points, const std::vector<gpu_property>& order, std::size_t at,
                  const gpu_range& within, ranges_of_rows& into)
{
    if (has_one_row(points) || at == order.size()) {
        into[points.front()->row].push_back(within);
        return;
    }
    const gpu_property& by = order[at];
    std::map<std::int64_t, std::vector<const alike*>> parts;
    for (const alike* point : points) parts[point->properties.*by.value].push_back(point);
    std::vector<std::pair<std::int64_t, std::vector<const alike*>>> joined;  // with their highest value
    std::vector<std::int64_t> first;                                         // their lowest values
    for (auto& [value, part] : parts) {
        if (!joined.empty() && has_one_row(joined.back().second) && has_one_row(part) &&
            joined.back().second.front()->row == part.front()->row) {
            joined.back().first = value;
            joined.back().second.insert(joined.back().second.end(), part.begin(), part.end());
            continue;
        }
        first.push_back(value);
        joined.emplace_back(value, std::move(part));
    }
    for (std::size_t i = 0; i < joined.size(); ++i) {
        gpu_range part = within;
        if (i > 0) part.*by.min = border(joined[i - 1].first, first[i]);
        if (i + 1 < joined.size()) part.*by.max = border(joined[i].first, first[i + 1]) - 1;
        split_points(joined[i].second, order, at + 1, part, into);
    }
}

std::size_t count_limits(const ranges_of_rows& all)
{
    std::size_t count = 0;
    const gpu_range any;
    for (const std::vector<gpu_range>& ranges : all)
        for (const gpu_range& range : ranges) {
            count += 100;
            for (const gpu_property& each : gpu_property_list)
                count += (range.*each.min != any.*each.min ? 1u : 0u) + (range.*each.max != any.*each.max ? 1u : 0u);
        }
    return count;
}

// The ranges of each row, for the order of properties that needs the fewest.
ranges_of_rows ranges_for(const std::vector<alike>& points, std::size_t rows)
{
    std::vector<const alike*> all;
    for (const alike& point : points) all.push_back(&point);
    std::vector<std::size_t> order;
    for (std::size_t place = 0; place < gpu_property_list.size(); ++place)
        if (std::ranges::any_of(points,
                                [&](const alike& one) { return one.properties.*gpu_property_list[place].value > 0; }))
            order.push_back(place);
    ranges_of_rows best;
    do {
        std::vector<gpu_property> by;
        for (const std::size_t place : order) by.push_back(gpu_property_list[place]);
        ranges_of_rows made(rows);
        split_points(all, by, 0, {}, made);
        if (best.empty() || count_limits(made) < count_limits(best)) best = std::move(made);
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

// GPUs of neighbouring architectures that share their rows.
struct segment {
    portable_set set = {};
    std::vector<alike> points;
};

class fleet_search {
public:
    fleet_search(const std::vector<portable_row>& rows, const std::vector<fleet_gpu>& gpus, double within,
                 const std::vector<compute_capability>& fences)
        : rows_(rows), gpus_(gpus), least_(1 / (1 + within) - rounding), fences_(fences)
    {
        for (std::size_t g = 0; g < gpus.size(); ++g)
            by_architecture_[detail::rank_of(gpus[g].architecture)].push_back(g);
    }

    std::vector<fleet_row> found() const
    {
        std::vector<std::vector<std::size_t>> groups;
        for (const auto& [rank, group] : by_architecture_) groups.push_back(group);
        // The best solution for the first architectures, adding one at a time: the number of rows, their worst share,
        // and where the last segment begins.
        struct step {
            std::size_t rows = 0;
            double worst = 1;
            std::size_t begin = 0;
            segment last = {};
        };
        std::vector<step> best(groups.size() + 1);
        for (std::size_t end = 1; end <= groups.size(); ++end) {
            bool some = false;
            for (std::size_t begin = end; begin-- > 0;) {
                std::optional<segment> last = segment_of(groups, begin, end);
                if (!last) continue;
                step tried{.rows = best[begin].rows + last->set.rows.size(),
                           .worst = std::min(best[begin].worst, last->set.worst_share),
                           .begin = begin};
                if (some && std::tuple(tried.rows, -tried.worst) >= std::tuple(best[end].rows, -best[end].worst))
                    continue;
                tried.last = std::move(*last);
                best[end] = std::move(tried);
                some = true;
            }
        }
        std::vector<std::vector<fleet_row>> parts;
        for (std::size_t end = groups.size(); end > 0; end = best[end].begin) parts.push_back(rows_of(best[end].last));
        std::vector<fleet_row> all;
        for (std::size_t p = parts.size(); p-- > 0;) all.insert(all.end(), parts[p].begin(), parts[p].end());
        return all;
    }

private:
    std::vector<alike> points_of(const std::vector<std::vector<std::size_t>>& groups, std::size_t begin,
                                 std::size_t end) const
    {
        std::vector<std::size_t> gpus;
        for (std::size_t a = begin; a < end; ++a) gpus.insert(gpus.end(), groups[a].begin(), groups[a].end());
        std::vector<detail::gpu_properties> properties;
        for (const std::size_t gpu : gpus) properties.push_back(gpus_[gpu].properties);
        properties = comparable(std::move(properties));
        std::vector<alike> points;
        for (std::size_t g = 0; g < gpus.size(); ++g) {
            auto at = std::ranges::find_if(points, [&](const alike& one) {
                return figures_of_gpu(one.properties) == figures_of_gpu(properties[g]);
            });
            if (at == points.end()) at = points.insert(points.end(), {properties[g], {}});
            at->gpus.push_back(gpus[g]);
        }
        return points;
    }

    bool is_fenced(const std::vector<std::vector<std::size_t>>& groups, std::size_t begin, std::size_t end) const
    {
        const int low = detail::rank_of(gpus_[groups[begin].front()].architecture);
        const int high = detail::rank_of(gpus_[groups[end - 1].front()].architecture);
        return std::ranges::any_of(fences_, [&](const compute_capability& fence) {
            return low < detail::rank_of(fence) && detail::rank_of(fence) < high;
        });
    }

    // The smallest share of a row on the GPUs of a point.
    std::optional<double> share_on(const portable_row& row, const alike& point) const
    {
        std::optional<double> least;
        for (const std::size_t gpu : point.gpus) {
            if (!row.shares[gpu]) return std::nullopt;
            least = std::min(*row.shares[gpu], least.value_or(1));
        }
        return least;
    }

    std::optional<segment> segment_of(const std::vector<std::vector<std::size_t>>& groups, std::size_t begin,
                                      std::size_t end) const
    {
        if (is_fenced(groups, begin, end)) return std::nullopt;
        segment made{.points = points_of(groups, begin, end)};
        // GPUs that cannot be told apart share a row. What no row reaches on them is not required.
        std::vector<double> scale(made.points.size(), 1);
        for (std::size_t p = 0; p < made.points.size(); ++p) {
            double best = 0;
            for (const portable_row& row : rows_) best = std::max(best, share_on(row, made.points[p]).value_or(0));
            if (best >= least_) continue;
            if (end - begin > 1) return std::nullopt;
            if (best == 0)
                throw error("two GPUs report the same properties, but no candidate was measured on both",
                            "measure a candidate on both, or leave the record of one of them out");
            scale[p] = 1 / best;
        }
        std::vector<std::size_t> places;
        std::vector<portable_row> few;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            portable_row row;
            bool is_good = false;
            for (std::size_t p = 0; p < made.points.size(); ++p) {
                row.shares.push_back(share_on(rows_[r], made.points[p]));
                if (row.shares.back()) *row.shares.back() *= scale[p];
                is_good = is_good || row.shares.back().value_or(0) >= least_;
            }
            if (!is_good) continue;
            places.push_back(r);
            few.push_back(std::move(row));
        }
        made.set = fewest_rows(few, made.points.size(), least_);
        if (made.set.rows.empty()) return std::nullopt;
        for (std::size_t p = 0; p < made.points.size(); ++p) made.points[p].row = made.set.row_of[p];
        for (std::size_t& row : made.set.rows) row = places[row];
        return made;
    }

    // For an unknown GPU: the row with the best worst share here.
    std::size_t last_resort_of(const segment& of) const
    {
        std::size_t best = 0;
        std::tuple<double, double> best_worth{-1, -1};
        for (std::size_t r = 0; r < of.set.rows.size(); ++r) {
            double least = 1, sum = 0;
            for (const alike& point : of.points) {
                const double share = share_on(rows_[of.set.rows[r]], point).value_or(0);
                least = std::min(least, share);
                sum += share;
            }
            if (std::tuple(least, sum) > best_worth) {
                best_worth = {least, sum};
                best = r;
            }
        }
        return best;
    }

    std::vector<fleet_row> rows_of(const segment& of) const
    {
        compute_capability architecture = gpus_[of.points.front().gpus.front()].architecture;
        std::vector<fleet_row> made(of.set.rows.size());
        for (const alike& point : of.points)
            for (const std::size_t gpu : point.gpus) {
                made[point.row].gpus.push_back(gpu);
                if (detail::rank_of(gpus_[gpu].architecture) < detail::rank_of(architecture))
                    architecture = gpus_[gpu].architecture;
            }
        const ranges_of_rows ranges = ranges_for(of.points, made.size());
        const std::size_t last_resort = last_resort_of(of);
        for (std::size_t r = 0; r < made.size(); ++r) {
            made[r].row = of.set.rows[r];
            made[r].architecture = architecture;
            made[r].ranges = ranges[r];
        }
        made[last_resort].is_last_resort = true;
        std::swap(made.front(), made[last_resort]);
        for (fleet_row& row : made) std::ranges::sort(row.gpus);
        return made;
    }

    const std::vector<portable_row>& rows_;
    const std::vector<fleet_gpu>& gpus_;
    double least_;
    const std::vector<compute_capability>& fences_;
    std::map<int, std::vector<std::size_t>> by_architecture_;
};

}  // namespace

std::vector<fleet_row> fewest_fleet_rows(const std::vector<portable_row>& rows, const std::vector<fleet_gpu>& gpus,
                                         double within, const std::vector<compute_capability>& fences)
{
    return fleet_search(rows, gpus, within, fences).found();
}

std::vector<gpu_range> narrowed(std::vector<gpu_range> all, const detail::gpu_properties& properties)
{
    // In round numbers.
    std::int64_t step = 1;
    while (step * 100 <= properties.memory_bytes / 10) step *= 10;
    const std::int64_t apart = properties.memory_bytes / 14;
    const std::int64_t low = (properties.memory_bytes - apart) / step * step;
    const std::int64_t high = (properties.memory_bytes + apart) / step * step + step - 1;
    std::erase_if(all, [&](const gpu_range& range) { return !detail::holds(range, properties); });
    for (gpu_range& range : all) {
        range.min_sms = range.max_sms = properties.sms;
        range.min_memory_bytes = std::max(range.min_memory_bytes, low);
        range.max_memory_bytes = std::min(range.max_memory_bytes, high);
    }
    return all;
}

}  // namespace launchbox
