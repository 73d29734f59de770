// SPDX-License-Identifier: Apache-2.0
#include "tune/space/search_space_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr double max_visits = 2e10;              // minutes on two cores
constexpr std::size_t min_in_segment = 1000;     // so that the cost of calls into Lua is negligible
constexpr std::size_t max_in_segment = 100'001;  // so that the result of a call fits into memory
constexpr std::size_t max_levels_in_segment = 10;
constexpr std::size_t enough_prefixes = 64;  // for all cores to have work

std::vector<std::size_t> order_of_levels(const std::vector<scan_level>& levels,
                                         const std::vector<std::vector<std::size_t>>& used_by_conditions,
                                         const std::vector<std::vector<std::size_t>>& used_by_when);

// Levels that are scanned together.
struct segment {
    std::size_t begin = 0, end = 0;
    bool plain = false;  // nothing to test
};

class finder {
public:
    finder(std::vector<scan_level> levels, std::vector<std::size_t> order, const std::vector<std::string>& conditions,
           const named_constants& constants, const packed_layout& layout, std::size_t max_candidates);

    found_candidates run(const std::function<void(double)>& progress);

private:
    using scans = std::vector<std::unique_ptr<condition_scan>>;  // one per segment that is not plain

    void cut_into_segments();
    void refuse_endless(std::size_t segment_at, std::size_t prefixes) const;
    std::unique_ptr<scans> take_scans();
    void give_back(std::unique_ptr<scans> used);
    template <class Use>
    void extend(scans& with, std::size_t segment_at, std::vector<std::uint32_t>& prefix, const Use& use);
    void descend(scans& with, std::size_t segment_at, std::vector<std::uint32_t>& prefix,
                 std::vector<std::uint64_t>& found);
    void count_visits(std::uint64_t more);
    [[noreturn]] void fail_too_many(double at_least, bool exact) const;

    std::vector<scan_level> levels_;  // in the order of the loops
    std::vector<std::size_t> order_;  // the parameter of each level
    const std::vector<std::string>& conditions_;
    const named_constants& constants_;
    const packed_layout& layout_;
    std::size_t max_candidates_;
    std::vector<segment> segments_;
    std::size_t first_plain_ = 0;  // of the last segments, which test nothing
    double plain_points_ = 1;
    std::atomic<std::uint64_t> visits_{0};
    std::atomic<double> candidates_{0};
    std::mutex lock_;
    std::vector<std::unique_ptr<scans>> unused_;
    found_candidates result_;
};

}  // namespace

found_candidates find_candidates(std::vector<scan_level> levels, const std::vector<std::string>& conditions,
                                 const named_constants& constants, const packed_layout& layout,
                                 std::size_t max_candidates, const std::function<void(double)>& progress)
{
    const auto levels_in = [&](const std::string& expression) {
        std::vector<std::size_t> used;
        for (const std::string& name : names_in(expression_tokens(expression)))
            for (std::size_t l = 0; l < levels.size(); ++l)
                if (levels[l].name == name) used.push_back(l);
        return used;
    };
    std::vector<std::vector<std::size_t>> by_conditions, by_when(levels.size());
    for (const std::string& condition : conditions) by_conditions.push_back(levels_in(condition));
    for (std::size_t l = 0; l < levels.size(); ++l)
        if (!levels[l].when.empty()) by_when[l] = levels_in(levels[l].when);

    std::vector<std::size_t> order = order_of_levels(levels, by_conditions, by_when);
    std::vector<std::size_t> place(levels.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (std::size_t c = 0; c < conditions.size(); ++c) {
        const std::size_t last = *std::max_element(by_conditions[c].begin(), by_conditions[c].end(),
                                                   [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
        levels[last].conditions.push_back(c);
    }
    return finder(std::move(levels), std::move(order), conditions, constants, layout, max_candidates).run(progress);
}

namespace {

// The conditions that need the fewest points come first. Within one, parameters with few values are outermost: the more
// values the innermost loop has, the cheaper each is.
std::vector<std::size_t> order_of_levels(const std::vector<scan_level>& levels,
                                         const std::vector<std::vector<std::size_t>>& used_by_conditions,
                                         const std::vector<std::vector<std::size_t>>& used_by_when)
{
    std::vector<std::size_t> order;
    std::vector<bool> placed(levels.size());
    const auto missing = [&](const std::vector<std::size_t>& wanted) {  // including what their `when` needs
        std::vector<std::size_t> all;
        std::vector<bool> noted(placed);
        for (std::vector<std::size_t> open = wanted; !open.empty();) {
            const std::size_t l = open.back();
            open.pop_back();
            if (noted[l]) continue;
            noted[l] = true;
            all.push_back(l);
            open.insert(open.end(), used_by_when[l].begin(), used_by_when[l].end());
        }
        return all;
    };
    const auto place = [&](std::vector<std::size_t> wanted) {
        std::sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(levels[a].values.size(), a) < std::pair(levels[b].values.size(), b);
        });
        for (bool some = true; some;) {
            some = false;
            for (const std::size_t l : wanted) {
                const auto& needed = used_by_when[l];
                if (placed[l] || !std::all_of(needed.begin(), needed.end(), [&](std::size_t n) { return placed[n]; }))
                    continue;
                placed[l] = some = true;
                order.push_back(l);
                break;  // the smallest possible next one
            }
        }
        for (const std::size_t l : wanted)
            if (!placed[l]) throw error("whether " + levels[l].name + " applies depends on itself", "remove a `when`");
    };
    std::vector<bool> done(used_by_conditions.size());
    for (std::size_t round = 0; round < done.size(); ++round) {
        std::size_t best = done.size();
        double fewest = HUGE_VAL;
        for (std::size_t c = 0; c < done.size(); ++c) {
            if (done[c]) continue;
            double points = 0;  // a logarithm, since the number may overflow
            for (const std::size_t l : missing(used_by_conditions[c]))
                points += std::log(static_cast<double>(levels[l].values.size()));
            if (points < fewest) std::tie(best, fewest) = std::pair(c, points);
        }
        done[best] = true;
        place(missing(used_by_conditions[best]));
    }
    std::vector<std::size_t> all(levels.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // Parameters that nothing depends on keep the file's order, so that candidates come out nearly sorted.
    for (const std::size_t l : all)
        if (!placed[l]) place(missing({l}));
    return order;
}

finder::finder(std::vector<scan_level> levels, std::vector<std::size_t> order,
               const std::vector<std::string>& conditions, const named_constants& constants,
               const packed_layout& layout, std::size_t max_candidates)
    : order_(std::move(order)),
      conditions_(conditions),
      constants_(constants),
      layout_(layout),
      max_candidates_(max_candidates)
{
    for (const std::size_t l : order_) levels_.push_back(std::move(levels[l]));
    result_.rejections.resize(conditions.size());
    cut_into_segments();
}

bool is_tried(const scan_level& level)
{
    return !level.conditions.empty() || !level.when.empty();
}

// From the end, so that the innermost loops are long.
void finder::cut_into_segments()
{
    std::size_t plain_from = levels_.size();
    while (plain_from > 0 && !is_tried(levels_[plain_from - 1])) --plain_from;
    for (std::size_t end = levels_.size(); end > 0;) {
        const std::size_t floor = end > plain_from ? plain_from : 0;
        std::size_t begin = end - 1;
        std::size_t points = levels_[begin].values.size();
        while (begin > floor && points < min_in_segment && end - begin < max_levels_in_segment &&
               points * levels_[begin - 1].values.size() <= max_in_segment)
            points *= levels_[--begin].values.size();
        segments_.push_back({begin, end, begin >= plain_from});
        end = begin;
    }
    std::reverse(segments_.begin(), segments_.end());
    first_plain_ = segments_.size();
    while (first_plain_ > 0 && segments_[first_plain_ - 1].plain) --first_plain_;
    for (std::size_t l = plain_from; l < levels_.size(); ++l)
        plain_points_ *= static_cast<double>(levels_[l].values.size());
}

found_candidates finder::run(const std::function<void(double)>& progress)
{
    if (first_plain_ == 0 && plain_points_ > static_cast<double>(max_candidates_)) fail_too_many(plain_points_, true);

    // Scans only the first segments, until there are enough prefixes for all cores.
    std::vector<std::vector<std::uint32_t>> prefixes{{}};
    std::size_t next = 0;
    refuse_endless(0, 1);
    {
        std::unique_ptr<scans> with = take_scans();
        while (next + 1 < segments_.size() && next < first_plain_ && prefixes.size() < enough_prefixes &&
               !prefixes.empty()) {
            std::vector<std::vector<std::uint32_t>> longer;
            for (std::vector<std::uint32_t>& prefix : prefixes)
                extend(*with, next, prefix, [&] { longer.push_back(prefix); });
            prefixes = std::move(longer);
            ++next;
            refuse_endless(next, prefixes.size());
            if (next == first_plain_) {
                const double all = static_cast<double>(prefixes.size()) * plain_points_;
                if (all > static_cast<double>(max_candidates_)) fail_too_many(all, true);
            }
        }
        give_back(std::move(with));
    }

    const std::size_t at_once = std::max<std::size_t>(1, prefixes.size() / 512);
    const std::size_t ranges = (prefixes.size() + at_once - 1) / at_once;
    std::vector<std::vector<std::uint64_t>> found(ranges);
    std::size_t done = 0;
    run_parallel(ranges, [&](std::size_t range) {
        std::unique_ptr<scans> with = take_scans();
        for (std::size_t i = range * at_once; i < std::min(prefixes.size(), (range + 1) * at_once); ++i)
            descend(*with, next, prefixes[i], found[range]);
        give_back(std::move(with));
        const std::lock_guard guard(lock_);
        if (progress) progress(static_cast<double>(++done) / static_cast<double>(ranges));
    });

    for (const std::unique_ptr<scans>& kept : unused_)
        for (const std::unique_ptr<condition_scan>& scan : *kept)
            for (std::size_t c = 0; scan && c < conditions_.size(); ++c) result_.rejections[c] += scan->rejections()[c];
    std::size_t size = 0;
    for (const auto& points : found) size += points.size();
    result_.packed.reserve(size);
    for (auto& points : found) {
        result_.packed.insert(result_.packed.end(), points.begin(), points.end());
        points = {};
    }
    return std::move(result_);
}

// A lower bound on the work: every point of the levels up to the next level with a test.
void finder::refuse_endless(std::size_t segment_at, std::size_t prefixes) const
{
    if (segment_at >= first_plain_) return;
    double points = static_cast<double>(prefixes);
    for (std::size_t l = segments_[segment_at].begin; l < levels_.size(); ++l) {
        if (levels_[l].when.empty()) points *= static_cast<double>(levels_[l].values.size());
        if (is_tried(levels_[l])) break;
    }
    if (points > max_visits)
        throw error(fmt::format("the space has {:.3g} points to visit before a constraint can reject some", points),
                    "add constraints on few parameters, or give fewer values");
}

std::unique_ptr<finder::scans> finder::take_scans()
{
    {
        const std::lock_guard guard(lock_);
        if (!unused_.empty()) {
            std::unique_ptr<scans> result = std::move(unused_.back());
            unused_.pop_back();
            return result;
        }
    }
    auto result = std::make_unique<scans>();
    for (const segment& segment : segments_) {
        result->emplace_back();
        if (segment.plain) continue;
        const auto at = [&](std::size_t l) { return levels_.begin() + static_cast<std::ptrdiff_t>(l); };
        result->back() =
            std::make_unique<condition_scan>(std::vector(levels_.begin(), at(segment.begin)),
                                             std::vector(at(segment.begin), at(segment.end)), conditions_, constants_);
    }
    return result;
}

void finder::give_back(std::unique_ptr<scans> used)
{
    const std::lock_guard guard(lock_);
    unused_.push_back(std::move(used));
}

// Calls `use` for each way to continue; `prefix` is extended by this segment.
template <class Use>
void finder::extend(scans& with, std::size_t segment_at, std::vector<std::uint32_t>& prefix, const Use& use)
{
    const segment& at = segments_[segment_at];
    const std::size_t length = prefix.size();
    prefix.resize(at.end);
    const auto set = [&](std::uint64_t point) {
        for (std::size_t l = at.end; l-- > at.begin;) {
            const std::uint64_t count = levels_[l].values.size();
            prefix[l] = static_cast<std::uint32_t>(point % count);
            point /= count;
        }
    };
    if (at.plain) {
        std::uint64_t points = 1;
        for (std::size_t l = at.begin; l < at.end; ++l) points *= levels_[l].values.size();
        for (std::uint64_t point = 0; point < points; ++point) {
            set(point);
            use();
        }
    } else {
        condition_scan& scan = *with[segment_at];
        const std::uint64_t before = scan.visited();
        const std::vector<std::uint64_t>& points = scan(prefix);
        count_visits(scan.visited() - before);
        if (segment_at + 1 == first_plain_) {
            const double all = candidates_ += static_cast<double>(points.size()) * plain_points_;
            if (all > static_cast<double>(max_candidates_)) fail_too_many(all, false);
        }
        for (const std::uint64_t point : points) {
            set(point);
            use();
        }
    }
    prefix.resize(length);
}

void finder::descend(scans& with, std::size_t segment_at, std::vector<std::uint32_t>& prefix,
                     std::vector<std::uint64_t>& found)
{
    if (segment_at == segments_.size()) {
        std::vector<std::uint32_t>& indices = prefix;  // in the order of the loops
        thread_local std::vector<std::uint32_t> in_order;
        in_order.resize(order_.size());
        for (std::size_t l = 0; l < order_.size(); ++l) in_order[order_[l]] = indices[l];
        layout_.append(in_order, found);
        return;
    }
    extend(with, segment_at, prefix, [&] { descend(with, segment_at + 1, prefix, found); });
}

void finder::count_visits(std::uint64_t more)
{
    if (static_cast<double>(visits_ += more) > max_visits)
        throw error(fmt::format("the space has more than {:.0e} points to visit", max_visits),
                    "add constraints on few parameters, or give fewer values");
    if (interrupted()) throw error("interrupted while enumerating the candidates", "", exit_status::interrupted);
}

void finder::fail_too_many(double at_least, bool exact) const
{
    const std::string count =
        at_least < 1e15 ? with_commas(static_cast<std::int64_t>(at_least)) : fmt::format("{:.3g}", at_least);
    throw error(fmt::format("the space has {}{} candidates, and at most {} are allowed", exact ? "" : "at least ",
                            count, with_commas(static_cast<std::int64_t>(max_candidates_))),
                "add constraints, or give fewer values");
}

}  // namespace

packed_layout::packed_layout(const std::vector<std::size_t>& counts_of_values)
{
    int used = 0;
    std::size_t word = 0;
    for (const std::size_t count : counts_of_values) {
        const auto bits = static_cast<int>(std::bit_width(count - 1));
        if (used + bits > 64) {
            ++word;
            used = 0;
        }
        used += bits;
        fields_.push_back({word, 64 - used, bits});
    }
    words_ = word + 1;
}

void packed_layout::append(const std::vector<std::uint32_t>& indices, std::vector<std::uint64_t>& to) const
{
    const std::size_t at = to.size();
    to.resize(at + words_);
    for (std::size_t i = 0; i < fields_.size(); ++i)
        if (fields_[i].bits > 0) to[at + fields_[i].word] |= std::uint64_t{indices[i]} << fields_[i].shift;
}

std::vector<std::uint32_t> packed_layout::indices(const std::uint64_t* candidate) const
{
    std::vector<std::uint32_t> result;
    for (const field& field : fields_)
        result.push_back(field.bits == 0 ? 0
                                         : static_cast<std::uint32_t>(candidate[field.word] >> field.shift &
                                                                      ((std::uint64_t{1} << field.bits) - 1)));
    return result;
}

void packed_layout::set(std::uint64_t* candidate, std::size_t parameter, std::uint32_t index) const
{
    const field& at = fields_[parameter];
    if (at.bits == 0) return;
    const std::uint64_t mask = ((std::uint64_t{1} << at.bits) - 1) << at.shift;
    candidate[at.word] = (candidate[at.word] & ~mask) | std::uint64_t{index} << at.shift;
}

}  // namespace launchbox
