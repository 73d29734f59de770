// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_answer.hpp"

#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <set>
#include <tuple>

#include "advice/bounds/bounds_reasons.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "advice/model/kernel_question.hpp"

namespace launchbox {

namespace {

block_size_answer answer_for(const kernel_trials& kernel, const sm_limits& limits, int threads,
                             const bounds_launch& launch);

void mark_pareto(bounds_answer& answer);

bool same_code(const kernel_info& one, const kernel_info& other);

}  // namespace

bounds_answer answer_bounds(const kernel_trials& kernel, const bounds_launch& launch)
{
    bounds_answer answer{.name = kernel.written.name,
                         .demangled = kernel.written.demangled,
                         .short_form = kernel.written.short_form,
                         .architecture = kernel.written.architecture,
                         .capability = kernel.written.capability,
                         .limits = limits_of(kernel.written),
                         .group = kernel.group,
                         .threads_assumed = kernel.threads_assumed,
                         .written = kernel.attribute,
                         .declared_at = kernel.declared_at,
                         .relocatable = kernel.written.relocatable && !kernel.written.linked,
                         .launch = launch,
                         .not_swept = kernel.not_swept};
    for (const bounds_trial& trial : kernel.trials) {
        if (trial.compiled()) continue;
        const std::string text = trial.attribute.empty() ? "no attribute" : attribute_source(trial.attribute);
        answer.errors.push_back(text + ": " + (trial.errors.empty() ? "did not compile" : trial.errors.front()));
    }
    if (answer.limits == nullptr) {
        if (answer.not_swept.empty()) answer.not_swept = "the limits of " + answer.architecture + " are not known";
        return answer;
    }
    answer.findings = findings_of_kernel(kernel.written);
    for (const bounds_trial& trial : kernel.trials)
        if (trial.compiled() && trial.attribute == kernel.attribute && trial.kernel.figures.code_hash &&
            kernel.written.figures.code_hash && !same_code(trial.kernel, kernel.written))
            answer.findings.push_back(
                "injecting the attribute of the source gives other code than the source itself; the other rows may "
                "differ from what you will get");
    for (int threads : std::set<int>(kernel.threads.begin(), kernel.threads.end()))
        if (threads >= 1 && threads <= max_threads_per_block)
            answer.block_sizes.push_back(answer_for(kernel, *answer.limits, threads, launch));
    mark_pareto(answer);
    conclude(answer);
    return answer;
}

bool weaker(const launch_attribute& one, const launch_attribute& other)
{
    const auto strength = [](const launch_attribute& a) {
        const int kind = a.empty() ? 0 : a.max_registers > 0 ? 3 : a.min_blocks > 0 ? 2 : 1;
        return std::tuple(kind, a.min_blocks, -a.max_registers, -a.threads, a.max_cluster_blocks);
    };
    return strength(one) < strength(other);
}

std::vector<launch_attribute> attributes_behind(const bounds_answer& answer)
{
    std::vector<launch_attribute> all;
    for (const block_size_answer& size : answer.block_sizes) {
        if (!size.recommendation.row || size.recommendation.verdict == bounds_verdict::unknown) continue;
        const bounds_row& chosen = size.rows[*size.recommendation.row];
        const launch_attribute& named = size.recommendation.attribute;
        if (!chosen.as_written) all.push_back(named);
        if (!chosen.as_written && named.min_blocks > 0) {
            // A weaker bound may give the same, and is then written.
            launch_attribute below{.threads = named.threads, .max_cluster_blocks = named.max_cluster_blocks};
            all.push_back(below);
            for (const bounds_row& row : size.rows)
                for (const launch_attribute& other : row.attributes)
                    if (other.threads == named.threads && other.min_blocks < named.min_blocks)
                        below.min_blocks = std::max(below.min_blocks, other.min_blocks);
            all.push_back(below);
        }
        const bounds_row* next = nullptr;
        for (const bounds_row& row : size.rows)
            if (row.launches() && row.attributes.front().threads > 0 &&
                row.residency->resident_warps > chosen.residency->resident_warps &&
                (next == nullptr || spill_bytes(row.kernel) < spill_bytes(next->kernel)))
                next = &row;
        if (next != nullptr) all.push_back(next->attributes.front());
        const bounds_row* written = written_row(size);
        if (written == nullptr || spill_bytes(written->kernel).value_or(0) == 0 || answer.written.min_blocks == 0)
            continue;
        if (const auto cap = register_cap(*answer.limits, size.threads, answer.written.min_blocks))
            all.push_back({.max_registers = *cap});
    }
    return all;
}

const char* verdict_name(bounds_verdict verdict)
{
    switch (verdict) {
        case bounds_verdict::unknown:
            break;
        case bounds_verdict::cannot_launch:
            return "cannot_launch";
        case bounds_verdict::keep:
            return "keep";
        case bounds_verdict::no_bound:
            return "no_bound";
        case bounds_verdict::remove:
            return "remove";
        case bounds_verdict::write:
            return "write";
        case bounds_verdict::no_difference:
            return "no_difference";
    }
    return "unknown";
}

namespace {

bool same_code(const kernel_info& one, const kernel_info& other)
{
    return one.figures.code_hash && one.figures.code_hash == other.figures.code_hash &&
           one.figures.registers == other.figures.registers &&
           one.figures.static_shared_bytes == other.figures.static_shared_bytes;
}

void fill_residency(bounds_row& row, const sm_limits& limits, int threads, const bounds_launch& launch)
{
    if (!row.kernel.figures.registers) return;
    row.residency = residency_of(limits, row.kernel, threads, launch);
    if (row.residency->obstacle == launch_obstacle::none) {
        row.limited_by = limiter_names(*row.residency);
        return;
    }
    if (auto question = question_for(row.kernel, threads)) {
        question->shape.dynamic_shared_bytes = launch.dynamic_shared_of(threads);
        question->settings = settings_of(limits, row.kernel, launch);
        row.obstacle = obstacle_text(*question, *row.residency);
    }
    if (row.obstacle.empty()) row.obstacle = "it cannot be launched";
}

// Adds the rows that a launch with this many threads could run: a launch bound for its own block size, no bound and
// __maxnreg__ for each, and the unchanged source wherever its bound allows. A __maxnreg__ that cannot be launched is
// not reported.
void add_row(block_size_answer& answer, const bounds_trial& trial, bool as_written, const sm_limits& limits,
             const bounds_launch& launch)
{
    const launch_attribute& attribute = trial.attribute;
    const kernel_info& kernel = trial.kernel;
    const int threads = answer.threads;
    if (!as_written && attribute.threads > 0 && attribute.threads != threads) return;
    if (as_written && bound_threads(kernel).value_or(threads) < threads) return;
    if (kernel.bounds.required_threads && bound_threads(kernel) != threads) return;

    for (bounds_row& row : answer.rows) {
        const bool same_attribute = std::ranges::find(row.attributes, attribute) != row.attributes.end();
        if (!same_attribute && !same_code(row.kernel, kernel)) continue;
        if (!same_attribute) row.attributes.push_back(attribute);
        row.as_written |= as_written;
        row.from_ptx &= trial.from_ptx;
        return;
    }
    bounds_row row{.attributes = {attribute}, .as_written = as_written, .kernel = kernel, .from_ptx = trial.from_ptx};
    fill_residency(row, limits, threads, launch);
    if (!row.launches() && attribute.max_registers > 0 && !as_written) return;
    answer.rows.push_back(std::move(row));
}

block_size_answer answer_for(const kernel_trials& kernel, const sm_limits& limits, int threads,
                             const bounds_launch& launch)
{
    block_size_answer answer{.threads = threads};
    for (const bounds_trial& trial : kernel.trials)
        if (trial.compiled()) add_row(answer, trial, false, limits, launch);
    add_row(answer, {.attribute = kernel.attribute, .kernel = kernel.written}, true, limits, launch);
    for (bounds_row& row : answer.rows) std::ranges::sort(row.attributes, weaker);
    std::ranges::stable_sort(answer.rows, [](const bounds_row& one, const bounds_row& other) {
        return weaker(one.attributes.front(), other.attributes.front());
    });

    const occupancy_result room = room_of(limits, kernel.written, threads, launch);
    answer.max_blocks = room.resident_blocks;
    answer.limited_by = limiter_names(room);
    for (int blocks = 1; blocks <= room.resident_blocks; ++blocks) {
        const resource_allowance allowed = room_for(limits, kernel.written, threads, blocks, launch);
        answer.thresholds.push_back({.blocks = blocks,
                                     .registers = allowed.registers,
                                     .shared_bytes = allowed.shared_bytes,
                                     .barriers = allowed.barriers});
    }
    return answer;
}

// Whether `one` is at least as good as `other` in everything, and better in something. Unknown values are neither
// better nor worse.
bool beats(const bounds_row& one, const bounds_row& other)
{
    bool better = false, worse = false;
    const auto compare = [&](const auto& fewer, const auto& more) {
        better |= fewer < more;
        worse |= more < fewer;
    };
    compare(-one.residency->resident_warps, -other.residency->resident_warps);
    const auto spills = spill_bytes(one.kernel), other_spills = spill_bytes(other.kernel);
    if (spills && other_spills) compare(*spills, *other_spills);
    const auto shared = shared_spill_bytes(one.kernel), other_shared = shared_spill_bytes(other.kernel);
    if (shared && other_shared) compare(*shared, *other_shared);
    if (one.kernel.figures.code_bytes && other.kernel.figures.code_bytes)
        compare(*one.kernel.figures.code_bytes, *other.kernel.figures.code_bytes);
    return better && !worse;
}

void mark_pareto(bounds_answer& answer)
{
    const auto beaten_in = [](const bounds_row& row, const block_size_answer& among) {
        return std::ranges::any_of(among.rows,
                                   [&](const bounds_row& other) { return other.launches() && beats(other, row); });
    };
    for (block_size_answer& size : answer.block_sizes)
        for (bounds_row& row : size.rows) {
            row.pareto = row.launches() && !beaten_in(row, size);
            row.pareto_of_all =
                row.pareto && std::ranges::none_of(answer.block_sizes, [&](const block_size_answer& other) {
                    return beaten_in(row, other);
                });
        }
}

}  // namespace

}  // namespace launchbox
