// SPDX-License-Identifier: Apache-2.0
#include "advice/advise/kernel_advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <launchbox/block_size.hpp>

#include <algorithm>
#include <tuple>

#include "advice/bounds/bounds_launch.hpp"
#include "advice/bounds/bounds_reasons.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "advice/model/kernel_question.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::int64_t spills_of(const kernel_info& kernel)
{
    return spill_bytes(kernel).value_or(0) + shared_spill_bytes(kernel).value_or(0);
}

bool changes(const bounds_recommendation& chosen)
{
    return chosen.verdict == bounds_verdict::write || chosen.verdict == bounds_verdict::remove;
}

// The block size to show: of several that the user named, the largest that can be launched.
const block_size_answer* shown_size(const bounds_answer& answer)
{
    const block_size_answer* shown = nullptr;
    for (const block_size_answer& size : answer.block_sizes) {
        const bounds_row* row = written_row(size);
        if (shown == nullptr || (row != nullptr && row->launches())) shown = &size;
    }
    return shown;
}

// "5 -> 4 blocks, spills 260 -> 0 B": the effect of the row, short enough for a cell.
std::string effect_of(const block_size_answer& size, const bounds_row& row)
{
    const bounds_row* written = written_row(size);
    if (written == nullptr || !written->launches() || written == &row) return size.recommendation.gain;
    std::vector<std::string> parts;
    const auto change = [&](const char* what, std::int64_t now, std::int64_t then, const char* unit) {
        if (now != then) parts.push_back(fmt::format("{}{} → {} {}", what, with_commas(now), with_commas(then), unit));
    };
    change("", written->residency->resident_blocks, row.residency->resident_blocks, "blocks");
    if (spill_bytes(written->kernel) && spill_bytes(row.kernel))
        change("spills ", spills_of(written->kernel), spills_of(row.kernel), "B");
    if (parts.empty() && written->kernel.figures.code_bytes && row.kernel.figures.code_bytes)
        change("code ", *written->kernel.figures.code_bytes, *row.kernel.figures.code_bytes, "B");
    if (size.recommendation.instead_of_dropped) parts.insert(parts.begin(), "without the ignored min_blocks");
    return fmt::format("{}", fmt::join(parts, ", "));
}

architecture_advice for_architecture(const bounds_answer& answer, const kernel_trials& trials)
{
    architecture_advice advice{.architecture = answer.architecture, .gpu = {}, .written = trials.written};
    const block_size_answer* size = shown_size(answer);
    if (size == nullptr) {
        advice.effect = answer.not_swept.empty() ? "no block size is known" : answer.not_swept;
        return advice;
    }
    advice.threads = size->threads;
    if (answer.launch.dynamic_shared_known)
        advice.dynamic_shared_bytes = answer.launch.dynamic_shared_of(size->threads);
    if (const bounds_row* row = written_row(*size)) {
        advice.residency = row->residency;
        advice.limited_by = row->limited_by;
        advice.obstacle = row->obstacle;
    }
    const bounds_recommendation& chosen = size->recommendation;
    advice.verdict = chosen.verdict;
    advice.attribute = chosen.attribute;
    if (changes(chosen))
        advice.effect = effect_of(*size, size->rows[*chosen.row]);
    else if (chosen.verdict == bounds_verdict::unknown || chosen.verdict == bounds_verdict::cannot_launch)
        advice.effect = chosen.reason;
    else if (spills_of(trials.written) > 0)
        advice.effect = "spills, and no other bound spills less";
    if (changes(chosen) && advice.effect.empty()) advice.effect = "it can be launched";
    return advice;
}

// The cheapest row with more blocks than the recommended one: only noted, since a measurement must decide.
const bounds_row* cheapest_with_more(const block_size_answer& size, const bounds_row& chosen)
{
    const bounds_row* best = nullptr;
    const auto cost = [](const bounds_row& row) {
        return std::tuple(spills_of(row.kernel), row.residency->resident_blocks);
    };
    for (const bounds_row& row : size.rows)
        if (row.launches() && row.residency->resident_warps > chosen.residency->resident_warps &&
            (best == nullptr || cost(row) < cost(*best)))
            best = &row;
    return best;
}

// A row with as many blocks as the written attribute and fewer spills.
const bounds_row* same_blocks_fewer_spills(const block_size_answer& size, const bounds_row& written)
{
    const bounds_row* best = nullptr;
    for (const bounds_row& row : size.rows)
        if (row.launches() && row.residency->resident_blocks >= written.residency->resident_blocks &&
            spills_of(row.kernel) < spills_of(written.kernel) &&
            (best == nullptr || spills_of(row.kernel) < spills_of(best->kernel)))
            best = &row;
    return best;
}

// Merges equal sentences about several architectures.
class notes_by_architecture {
public:
    void add(const std::string& architecture, std::string text)
    {
        const auto known = std::ranges::find(notes_, text, &note::text);
        if (known != notes_.end())
            known->architectures.push_back(architecture);
        else
            notes_.push_back({std::move(text), {architecture}});
    }
    [[nodiscard]] std::vector<std::string> sentences(std::size_t architectures) const
    {
        std::vector<std::string> all;
        for (const note& one : notes_)
            all.push_back(one.architectures.size() == architectures
                              ? one.text
                              : fmt::format("{}: {}", fmt::join(one.architectures, ", "), one.text));
        return all;
    }

private:
    struct note {
        std::string text;
        std::vector<std::string> architectures;
    };
    std::vector<note> notes_;
};

void add_alternatives(const bounds_answer& answer, const std::string& where, notes_by_architecture& notes)
{
    const block_size_answer* size = shown_size(answer);
    if (size == nullptr || !size->recommendation.row || answer.threads_assumed) return;
    const bounds_row& chosen = size->rows[*size->recommendation.row];
    const bounds_row* written = written_row(*size);
    if (written != nullptr && written->launches() && !written->recommended)
        if (const bounds_row* row = same_blocks_fewer_spills(*size, *written);
            row != nullptr && !row->recommended &&
            row->residency->resident_blocks > chosen.residency->resident_blocks) {
            notes.add(where,
                      fmt::format("{} keeps {} with {} instead of {} B: measure both",
                                  attribute_text(row->attributes.front()), blocks_text(row->residency->resident_blocks),
                                  spills_text(*row), with_commas(spills_of(written->kernel))));
            return;
        }
    if (const bounds_row* row = cheapest_with_more(*size, chosen); row != nullptr && !row->as_written)
        notes.add(where, fmt::format("{} holds {}, with {}: measure it", attribute_text(row->attributes.front()),
                                     blocks_text(row->residency->resident_blocks), spills_text(*row)));
}

// Suggests a block size with more resident warps, if the kernel's may change.
void add_block_size(const bounds_answer& answer, const kernel_trials& trials, const block_size_use& use,
                    const std::string& where, notes_by_architecture& notes)
{
    const block_size_answer* size = shown_size(answer);
    if (use.freedom != block_size_freedom::free || !use.threads || size == nullptr || answer.limits == nullptr ||
        answer.launch.dynamic_shared_of(size->threads) > 0 || !answer.launch.dynamic_shared_known ||
        trials.written.launches.uses_dynamic_shared.value_or(false))
        return;
    const bounds_row* written = written_row(*size);
    if (written == nullptr || !written->launches()) return;
    const block_size_choice best =
        suggest_block_size(*answer.limits, resources_of(trials.written), 0, {.ties = tie_policy::balanced},
                           settings_of(*answer.limits, trials.written, answer.launch));
    const int now = size->threads * written->residency->resident_blocks;
    if (best.resident_threads() > now)
        notes.add(where, fmt::format("{} threads a block keep {} instead of {} threads resident", best.threads,
                                     with_commas(best.resident_threads()), with_commas(now)));
}

bool is_about_bounds(const diagnosis& finding)
{
    for (const char* id : {"bound_ignored", "bound_over_1024", "bound_bought_nothing", "spills_from_bound",
                           "one_argument_collapse", "spills", "spills_unknown", "never_launches"})
        if (finding.id == id) return true;
    return false;
}

void add_findings(const bounds_answer& answer, const kernel_trials& trials, const std::string& where,
                  notes_by_architecture& weighty, notes_by_architecture& others)
{
    for (const diagnosis& finding : diagnose(trials.written, std::nullopt)) {
        const bool is_said = std::ranges::find(answer.findings, finding.message) != answer.findings.end();
        if (is_said || is_about_bounds(finding)) continue;
        std::string text = finding.message;
        if (!finding.fix.empty()) text += "; " + finding.fix;
        (finding.level == severity::note ? others : weighty).add(where, std::move(text));
    }
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more)
{
    all.insert(all.end(), more.begin(), more.end());
}

// "occupancy is limited by registers (A100, H100), warps (RTX 5090)"
std::string limits_text(const std::vector<architecture_advice>& rows)
{
    using limit = std::pair<std::string, std::vector<std::string>>;
    std::vector<limit> by_limit;
    for (const architecture_advice& row : rows) {
        if (row.limited_by.empty() || !row.dynamic_shared_bytes) continue;  // unknown memory may be the real limit
        auto known = std::ranges::find(by_limit, row.limited_by, &limit::first);
        if (known == by_limit.end()) known = by_limit.insert(by_limit.end(), {row.limited_by, {}});
        known->second.push_back(row.label());
    }
    std::string text;
    for (const auto& [name, where] : by_limit)
        text += (text.empty() ? "occupancy is limited by " : ", ") + name +
                (where.size() == rows.size() ? "" : fmt::format(" ({})", fmt::join(where, ", ")));
    return text;
}

}  // namespace

std::int64_t kernel_advice::max_spill_bytes() const
{
    std::int64_t most = 0;
    for (const architecture_advice& one : architectures) most = std::max(most, spills_of(one.written));
    return most;
}

kernel_advice advise(std::span<const bounds_answer> answers, std::span<const kernel_trials> trials,
                     const block_size_use& use, std::span<const std::string> gpus)
{
    kernel_advice advice{.name = answers.front().name,
                         .demangled = answers.front().demangled,
                         .short_form = answers.front().short_form,
                         .declared_at = answers.front().declared_at,
                         .attribute = answers.front().written,
                         .use = use,
                         .threads_assumed = answers.front().threads_assumed};
    notes_by_architecture alternatives, weighty, others, reasons;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const bounds_answer& answer = answers[i];
        advice.architectures.push_back(for_architecture(answer, trials[i]));
        advice.architectures.back().gpu = gpus[i];
        const std::string& where = advice.architectures.back().label();
        for (const std::string& finding : answer.findings) weighty.add(where, finding);
        add_findings(answer, trials[i], where, weighty, others);
        add_alternatives(answer, where, alternatives);
        add_block_size(answer, trials[i], use, where, alternatives);
        for (const block_size_answer& size : answer.block_sizes) {
            if (!size.recommendation.reason.empty())
                reasons.add(where, fmt::format("{} threads: {}", size.threads, size.recommendation.reason));
            for (const std::string& finding : size.findings)
                reasons.add(where, fmt::format("{} threads: {}", size.threads, finding));
        }
        for (const std::string& error : answer.errors) others.add(where, "not compiled: " + error);
    }
    append(advice.notes, weighty.sentences(answers.size()));
    if (const std::string limits = limits_text(advice.architectures); !limits.empty()) advice.notes.push_back(limits);
    if (!advice.attribute.empty() && advice.attribute.max_registers == 0 &&
        std::ranges::any_of(advice.architectures, [](const architecture_advice& one) {
            return one.verdict == bounds_verdict::write && one.attribute.max_registers > 0;
        }))
        advice.notes.emplace_back("write __maxnreg__ instead of __launch_bounds__: nvcc refuses both together");
    append(advice.notes, alternatives.sentences(answers.size()));
    append(advice.details, others.sentences(answers.size()));
    append(advice.details, reasons.sentences(answers.size()));
    return advice;
}

void sort_worst_first(std::vector<kernel_advice>& kernels)
{
    const auto rank = [](const kernel_advice& kernel) {
        bool launches = true;
        double occupancy = 1;
        for (const architecture_advice& one : kernel.architectures) {
            launches &= one.obstacle.empty();
            if (one.residency) occupancy = std::min(occupancy, one.residency->occupancy());
        }
        return std::tuple(launches, -kernel.max_spill_bytes(), occupancy);
    };
    std::ranges::stable_sort(kernels, {}, rank);
}

}  // namespace launchbox
