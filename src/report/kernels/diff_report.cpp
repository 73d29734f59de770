// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/diff_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/kernel_list.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

std::string counts_of(const kernel_diff& diff);

void add_changes(document& page, const char* title, std::size_t total, const std::vector<const kernel_change*>& changes,
                 cell_signs& signs, const output_style& style);

void add_kernels(document& page, const char* title, std::size_t total,
                 const std::vector<const inspected_kernel*>& kernels, cell_signs& signs, const output_style& style);

}  // namespace

shown_diff shown_of(const kernel_diff& diff, std::optional<std::size_t> top)
{
    shown_diff shown;
    const auto room = [&](std::size_t taken) {
        if (!top || taken < *top) return true;
        ++shown.not_shown;
        return false;
    };
    for (const kernel_change& change : diff.changes) {
        auto& list = change.verdict == diff_verdict::worse    ? shown.worse
                     : change.verdict == diff_verdict::better ? shown.better
                                                              : shown.changed;
        if (room(list.size())) list.push_back(&change);
    }
    for (const inspected_kernel* kernel : diff.appeared)
        if (room(shown.appeared.size())) shown.appeared.push_back(kernel);
    for (const inspected_kernel* kernel : diff.vanished)
        if (room(shown.vanished.size())) shown.vanished.push_back(kernel);
    return shown;
}

document diff_document(const kernel_diff& diff, std::optional<std::size_t> top, const output_style& style, bool unasked)
{
    document page;
    cell_signs signs;
    const shown_diff shown = shown_of(diff, top);
    const auto total = [&](diff_verdict verdict) {
        return static_cast<std::size_t>(std::count_if(diff.changes.begin(), diff.changes.end(),
                                                      [&](const auto& change) { return change.verdict == verdict; }));
    };
    page.line(counts_of(diff));
    if (diff.compared == 0 && !diff.appeared.empty() && !diff.vanished.empty())
        page.line("No kernel is on both sides for the same architecture.", tone::warning);
    add_changes(page, "Worse", total(diff_verdict::worse), shown.worse, signs, style);
    add_changes(page, "Better", total(diff_verdict::better), shown.better, signs, style);
    add_changes(page, "Changed, neither worse nor better", total(diff_verdict::changed), shown.changed, signs, style);
    add_kernels(page, "New", diff.appeared.size(), shown.appeared, signs, style);
    add_kernels(page, "Gone", diff.vanished.size(), shown.vanished, signs, style);
    signs.explain(page);
    if (shown.not_shown > 0) {
        page.line("");
        page.line(unasked ? fmt::format("  {} more are not shown: --top all shows them, and JSON and CSV have them",
                                        count_text(shown.not_shown))
                          : fmt::format("  {} more: --top all", count_text(shown.not_shown)));
    }
    return page;
}

namespace {

std::string counts_of(const kernel_diff& diff)
{
    std::size_t counts[3] = {};
    for (const kernel_change& change : diff.changes) counts[static_cast<std::size_t>(change.verdict)] += change.copies;
    std::string text =
        fmt::format("{} compared: {} worse, {} better, {} changed otherwise, {} unchanged",
                    diff.compared == 1 ? "1 kernel" : count_text(diff.compared) + " kernels", count_text(counts[0]),
                    count_text(counts[1]), count_text(counts[2]), count_text(diff.unchanged));
    if (diff.code_changed > 0) text += fmt::format(" ({} of them with other code)", count_text(diff.code_changed));
    if (diff.not_comparable > 0)
        text += fmt::format(", {} without figures to compare", count_text(diff.not_comparable));
    text += fmt::format("; {} new, {} gone", count_text(diff.appeared.size()), count_text(diff.vanished.size()));
    if (diff.copies_appeared > 0) text += fmt::format("; {} more copies", count_text(diff.copies_appeared));
    if (diff.renamed > 0) text += fmt::format("; {} found again in a renamed namespace", count_text(diff.renamed));
    if (diff.renumbered > 0)
        text += fmt::format("; {} matched without the hash or counter in {}, which changes with every build",
                            count_text(diff.renumbered), diff.renumbered == 1 ? "its name" : "their names");
    if (diff.copies_vanished > 0) text += fmt::format("; {} fewer copies", count_text(diff.copies_vanished));
    return text;
}

// The figures of one kernel, in the order of the columns after "arch".
std::vector<std::string> figures_of(const inspected_kernel& kernel)
{
    const kernel_info& info = kernel.info;
    const auto& residency = kernel.residency;
    return {known_or_sign(info.figures.registers, info),
            spills_cell(info).text,
            stack_text(info),
            shared_text(info),
            known_or_sign(info.figures.barriers, info),
            bounds_text(info),
            residency ? resident_text(residency->result.resident_blocks, residency->threads, residency->at_most) : "–",
            residency ? occupancy_text(residency->result.occupancy(), residency->at_most) : "–",
            known_or_sign(info.figures.code_bytes, info)};
}

table empty_table()
{
    return {{{"arch"},
             {"regs", true},
             {"spills", true},
             {"stack", true},
             {"shared", true},
             {"bar", true},
             {"bounds", true},
             {"resident", true},
             {"occ.", true},
             {"code", true}},
            {}};
}

// Columns that no row needs take room from the names. The first always stays.
void drop_columns(table& rows, const std::vector<bool>& needed)
{
    for (std::size_t c = needed.size(); c-- > 0;) {
        if (needed[c]) continue;
        const auto place = static_cast<std::ptrdiff_t>(c + 1);
        rows.columns.erase(rows.columns.begin() + place);
        for (auto& row : rows.rows) row.erase(row.begin() + place);
    }
}

std::string title_of(const char* title, std::size_t total)
{
    return fmt::format("{}: {}", title, count_text(total));
}

void add_changes(document& page, const char* title, std::size_t total, const std::vector<const kernel_change*>& changes,
                 cell_signs& signs, const output_style& style)
{
    if (changes.empty()) return;
    page.heading(title_of(title, total));
    table rows = empty_table();
    std::vector<std::string> names;
    std::vector<bool> differs(rows.columns.size() - 1, false);
    for (const kernel_change* change : changes) {
        const auto before = figures_of(*change->before), after = figures_of(*change->after);
        std::string label = architecture_label(change->after->info);
        if (change->copies > 1) label += fmt::format("×{}", count_text(change->copies));
        std::vector<cell> row{label};
        for (std::size_t i = 0; i < after.size(); ++i) {
            differs[i] = differs[i] || before[i] != after[i];
            row.emplace_back(before[i] == after[i] ? after[i] : before[i] + " → " + after[i]);
        }
        rows.rows.push_back(std::move(row));
        names.push_back(change->after->info.short_form);
    }
    drop_columns(rows, differs);
    signs.note(rows);
    add_names(rows, names, style);
    page.add(std::move(rows));
}

void add_kernels(document& page, const char* title, std::size_t total,
                 const std::vector<const inspected_kernel*>& kernels, cell_signs& signs, const output_style& style)
{
    if (kernels.empty()) return;
    page.heading(title_of(title, total));
    table rows = empty_table();
    std::vector<std::string> names;
    std::vector<bool> told(rows.columns.size() - 1, false);
    for (const inspected_kernel* kernel : kernels) {
        std::vector<cell> row{architecture_label(kernel->info)};
        const auto figures = figures_of(*kernel);
        for (std::size_t i = 0; i < figures.size(); ++i) {
            told[i] = told[i] || (figures[i] != "?" && figures[i] != "–");
            row.emplace_back(figures[i]);
        }
        rows.rows.push_back(std::move(row));
        names.push_back(kernel->info.short_form);
    }
    drop_columns(rows, told);
    signs.note(rows);
    add_names(rows, names, style);
    page.add(std::move(rows));
}

}  // namespace

}  // namespace launchbox
