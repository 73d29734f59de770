// The rule of docs/bounds.md by which one row is recommended.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <limits>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/bounds_reasons.hpp"
#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

namespace {

using rows = std::vector<std::size_t>;

void recommend(block_size_answer& size, const bounds_answer& answer);
void leave_open(bounds_recommendation& chosen);
std::optional<std::size_t> best_block_size(const bounds_answer& answer);

}  // namespace

void conclude(bounds_answer& answer)
{
    for (block_size_answer& size : answer.block_sizes) {
        recommend(size, answer);
        if (answer.threads_assumed && answer.block_sizes.size() == 1) leave_open(size.recommendation);
        size.findings = findings_of_block_size(answer, size);
    }
    answer.best = best_block_size(answer);
}

namespace {

// A bound below the launched block size makes the launch fail.
void leave_open(bounds_recommendation& chosen)
{
    if (chosen.verdict != bounds_verdict::write && chosen.verdict != bounds_verdict::remove) return;
    chosen.verdict = bounds_verdict::unknown;
    chosen.reason = "depends on the block size, which the source does not show: give it with --threads";
}

// A smaller difference in code size does not justify another bound: code size says little about time.
bool about_as_large(std::int64_t bytes, std::int64_t smallest)
{
    return (bytes - smallest) * 20 <= smallest;
}

template <class Figure>
void keep_least(rows& candidates, const Figure& figure)
{
    auto least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i : candidates) least = std::min<std::int64_t>(least, figure(i));
    std::erase_if(candidates, [&](std::size_t i) { return figure(i) != least; });
}

// The attribute to write for a row's code: the weakest, or the weakest that gives the block size.
const launch_attribute* attribute_of(const bounds_row& row, bool with_threads)
{
    const auto found = std::ranges::find_if(
        row.attributes, [&](const launch_attribute& attribute) { return !with_threads || attribute.threads > 0; });
    return found == row.attributes.end() ? nullptr : &*found;
}

// Prefers the smallest change: the unchanged source, else the weakest attribute. Rows are sorted in this order. A bound
// with the block size is not removed without a gain: it is the kernel's contract with its callers.
std::size_t smallest_change(const std::vector<bounds_row>& all, const rows& candidates, bool with_threads)
{
    for (std::size_t i : candidates)
        if (all[i].as_written) return i;
    for (std::size_t i : candidates)
        if (with_threads && attribute_of(all[i], true) != nullptr) return i;
    return candidates.front();
}

std::size_t by_figures(const std::vector<bounds_row>& all, rows candidates, bool with_threads)
{
    constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
    const auto code = [&](std::size_t i) { return all[i].kernel.figures.code_bytes.value_or(unknown); };
    keep_least(candidates, [&](std::size_t i) { return spill_bytes(all[i].kernel).value_or(unknown); });
    keep_least(candidates, [&](std::size_t i) { return shared_spill_bytes(all[i].kernel).value_or(0); });
    keep_least(candidates, [&](std::size_t i) { return -std::int64_t{all[i].residency->resident_warps}; });
    std::int64_t smallest = unknown;
    for (std::size_t i : candidates) smallest = std::min(smallest, code(i));
    if (smallest == unknown) return smallest_change(all, candidates, with_threads);
    const auto written = std::ranges::find_if(candidates, [&](std::size_t i) { return all[i].as_written; });
    const std::optional<std::size_t> now = written == candidates.end() ? std::nullopt : std::optional(*written);
    std::erase_if(candidates, [&](std::size_t i) { return code(i) == unknown || !about_as_large(code(i), smallest); });
    const std::size_t chosen = smallest_change(all, candidates, with_threads);
    // The chosen row need not be the smallest: it must itself be worth the change.
    return now && code(*now) != unknown && about_as_large(code(*now), code(chosen)) ? *now : chosen;
}

// A smaller gain does not justify a change of the source, however precise the clock: a different link order has as
// large an effect.
constexpr double worth_a_change = 0.01;

// The rows that are not slower than the fastest by more than noise and 1 %.
rows fastest(const std::vector<bounds_row>& all, const rows& timed)
{
    std::size_t best = timed.front();
    for (std::size_t i : timed)
        if (all[i].measured->time.median < all[best].measured->time.median) best = i;
    const sample_summary& least = all[best].measured->time;
    rows result;
    for (std::size_t i : timed) {
        const sample_summary& time = all[i].measured->time;
        if (!differs(time, least) || time.median <= least.median * (1 + worth_a_change)) result.push_back(i);
    }
    return result;
}

// A bound that ptxas drops is wrong even if its code is the best: it causes a warning, and promises what does not hold.
bool written_is_dropped(const bounds_answer& answer)
{
    return answer.limits != nullptr && answer.written.threads > 0 &&
           check_launch_bounds(*answer.limits, answer.written.threads, answer.written.min_blocks) !=
               launch_bounds_verdict::honoured;
}

// The weakest other attribute that gives the same code; `nullopt` if there is none. The front end uses min_blocks, too,
// so (T, B) with a B that ptxas drops may differ from (T).
std::optional<launch_attribute> instead_of_written(const bounds_row& row, const bounds_answer& answer)
{
    for (const launch_attribute& attribute : row.attributes)
        if (attribute != answer.written) return attribute;
    return std::nullopt;
}

bounds_verdict verdict_of(const bounds_row& chosen, const launch_attribute& attribute, bool timed_alike,
                          const bounds_answer& answer)
{
    if (chosen.as_written) {
        if (timed_alike) return bounds_verdict::no_difference;
        return answer.written.empty() ? bounds_verdict::no_bound : bounds_verdict::keep;
    }
    return attribute.empty() ? bounds_verdict::remove : bounds_verdict::write;
}

void recommend(block_size_answer& size, const bounds_answer& answer)
{
    bounds_recommendation& result = size.recommendation;
    result = {};
    const bool dropped = written_is_dropped(answer);
    rows launching, timed;
    for (std::size_t i = 0; i < size.rows.size(); ++i) {
        bounds_row& row = size.rows[i];
        row.recommended = false;
        if (!row.launches() || (dropped && row.as_written && !instead_of_written(row, answer))) continue;
        launching.push_back(i);
        if (row.has_time()) timed.push_back(i);
    }
    if (!answer.not_swept.empty()) {
        result.reason = answer.not_swept;
        return;
    }
    if (launching.empty()) {
        const auto known = std::ranges::find_if(size.rows, [](const bounds_row& row) { return !row.obstacle.empty(); });
        if (known != size.rows.end()) result.verdict = bounds_verdict::cannot_launch;
        result.reason = known != size.rows.end() ? known->obstacle : "the compiler did not report registers";
        return;
    }
    result.by_time = timed.size() > 1;
    rows alike;
    if (result.by_time) alike = fastest(size.rows, timed);
    const bool with_threads = answer.written.threads > 0;
    const std::size_t chosen = result.by_time ? smallest_change(size.rows, alike, with_threads)
                                              : by_figures(size.rows, launching, with_threads);
    bounds_row& row = size.rows[chosen];
    row.recommended = true;
    result.row = chosen;
    if (row.as_written && dropped) {
        result.attribute = instead_of_written(row, answer).value();
        result.verdict = result.attribute.empty() ? bounds_verdict::remove : bounds_verdict::write;
        result.gain = "without the ignored min_blocks, the same code";
        result.instead_of_dropped = true;
        result.reason = fmt::format("{} gives the same code as {}, which ptxas ignores with a warning",
                                    attribute_text(result.attribute), attribute_source(answer.written));
        return;
    }
    const launch_attribute* wanted = attribute_of(row, with_threads);
    if (wanted == nullptr) wanted = &row.attributes.front();
    result.attribute = row.as_written ? answer.written : *wanted;
    result.verdict = verdict_of(row, result.attribute, alike.size() > 1, answer);
    result.gain = gain_of(size, row);
    result.reason = reason_for(answer, size, result);
    result.instead_of_dropped = dropped;
    if (dropped) {
        result.reason += "; ptxas ignores the bound in the source, with a warning";
        result.gain = "without the ignored min_blocks" + (result.gain.empty() ? "" : ", " + result.gain);
    }
}

// By the same rule; if it does not decide, the written block size, or else the largest, as in CUDA's own suggestion.
std::optional<std::size_t> best_block_size(const bounds_answer& answer)
{
    std::vector<bounds_row> winners;
    std::vector<std::size_t> places;
    for (std::size_t i = answer.block_sizes.size(); i-- > 0;) {
        const block_size_answer& size = answer.block_sizes[i];
        if (!size.recommendation.row) continue;
        winners.push_back(size.rows[*size.recommendation.row]);
        winners.back().as_written = size.threads == answer.written.threads;
        places.push_back(i);
    }
    if (winners.empty()) return std::nullopt;
    rows all(winners.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    rows timed = all;
    std::erase_if(timed, [&](std::size_t i) { return !winners[i].has_time(); });
    if (timed.size() > 1) return places[smallest_change(winners, fastest(winners, timed), false)];
    return places[by_figures(winners, all, false)];
}

}  // namespace

}  // namespace launchbox
