// SPDX-License-Identifier: Apache-2.0
#include "report/bounds/bounds_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "advice/bounds/bounds_reasons.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

void add_summary(document& page, const std::vector<bounds_answer>& answers, const output_style& style);
void add_answer(document& page, const bounds_answer& answer, bool all_rows, const output_style& style,
                cell_signs& signs);
void add_portable(document& page, const portable_bounds& portable, std::span<const bounds_answer> answers);

}  // namespace

std::string short_attribute_text(const launch_attribute& attribute)
{
    if (attribute.empty()) return "none";
    if (attribute.max_registers > 0) return fmt::format("maxnreg({})", attribute.max_registers);
    std::string text = attribute_source(attribute);
    text.erase(0, text.find('('));
    std::erase(text, ' ');
    return text;
}

document bounds_document(const bounds_report& found, const output_style& style)
{
    document page;
    if (found.answers.empty()) return page;
    const bool many = found.answers.size() > few_answers;
    cell_signs signs;
    if (many || !found.whole) add_summary(page, found.answers, style);
    for (const kernel_bounds& kernel : found.overview.kernels) {
        const std::span answers = std::span(found.answers).subspan(kernel.first, kernel.count);
        if (found.whole)
            for (const bounds_answer& answer : answers) add_answer(page, answer, !many, style, signs);
        if (kernel.portable) add_portable(page, *kernel.portable, answers);
    }
    for (const std::string& conflict : found.overview.conflicts) {
        page.line("");
        page.line("  " + escape_for_terminal(conflict), tone::warning);
    }
    page.line("");
    if (found.measured)
        page.line(fmt::format("  times: median of {} runs in turns on {}, {}", found.measured->runs,
                              found.measured->gpu.empty() ? "the block size of the command" : found.measured->gpu,
                              escape_for_terminal(found.measured->command)),
                  tone::faint);
    if (!found.whole) {
        const auto add = [&](auto&& applies, const char* text) {
            const auto count = std::ranges::count_if(found.answers, applies);
            if (count > 0) page.line(fmt::format(fmt::runtime(text), count, count == 1 ? "" : "s"), tone::warning);
        };
        add([](const bounds_answer& one) { return !one.launch.dynamic_shared_known; },
            "  {} row{} without dynamic shared memory, whose size the source does not show: give it with "
            "--dynamic-shared");
        add([](const bounds_answer& one) { return one.threads_assumed; },
            "  {} row{} with an assumed block size, since the source does not show it: give it with --threads");
        page.line("  --all compiles and shows every bound; launchbox advise says more about the kernel", tone::faint);
        return page;
    }
    page.line(fmt::format("  *: no other row is better in warps, spills and code together{}",
                          many ? "; other rows are left out, --format csv has them" : ""),
              tone::faint);
    cell_signs{.at_most = signs.at_most}.explain(page);
    return page;
}

namespace {

const block_size_answer* best_of(const bounds_answer& answer)
{
    return answer.best ? &answer.block_sizes[*answer.best] : nullptr;
}

std::string name_of(const bounds_answer& answer)
{
    return escape_for_terminal(answer.short_form.empty() ? answer.name : answer.short_form);
}

void add_summary(document& page, const std::vector<bounds_answer>& answers, const output_style& style)
{
    page.heading(fmt::format("{} kernels × architectures", answers.size()));
    table rows{{{"kernel"}, {"arch"}, {"now"}, {"write"}, {"threads", true}, {"gain"}}, {}};
    const std::string* before = nullptr;
    for (const bounds_answer& answer : answers) {
        const bool again = before != nullptr && *before == answer.name;
        before = &answer.name;
        std::vector<cell> row{again ? "" : shortened(name_of(answer), style.width * 3 / 10),
                              escape_for_terminal(answer.architecture), short_attribute_text(answer.written)};
        const block_size_answer* best = best_of(answer);
        if (best == nullptr) {
            row.emplace_back("?");
            row.emplace_back("–");
            row.emplace_back(!answer.not_swept.empty()    ? escape_for_terminal(answer.not_swept)
                             : answer.block_sizes.empty() ? "no block size"
                                                          : "no block size can be launched",
                             tone::warning);
        } else {
            const bounds_recommendation& chosen = best->recommendation;
            const bool change = chosen.verdict == bounds_verdict::write || chosen.verdict == bounds_verdict::remove;
            row.emplace_back(short_attribute_text(chosen.attribute), change ? tone::good : tone::plain);
            row.emplace_back(std::to_string(best->threads));
            row.emplace_back(change ? chosen.gain.empty() ? "it can be launched" : chosen.gain
                             : chosen.verdict == bounds_verdict::no_difference ? "no measurable difference"
                                                                               : "no gain");
        }
        rows.rows.push_back(std::move(row));
    }
    page.add(std::move(rows));
}

// Of several attributes with the same code: the one to write, the one in the source, or else the weakest.
const launch_attribute& shown_of(const bounds_row& row, const block_size_answer& size, const launch_attribute& written)
{
    const launch_attribute& wanted = row.recommended ? size.recommendation.attribute : written;
    const auto found = std::ranges::find(row.attributes, wanted);
    return (row.recommended || row.as_written) && found != row.attributes.end() ? *found : row.attributes.front();
}

// "none+2": two more give the same code.
std::string attributes_text(const bounds_row& row, const block_size_answer& size, const launch_attribute& written)
{
    const std::size_t more = row.attributes.size() - 1;
    return short_attribute_text(shown_of(row, size, written)) + (more > 0 ? fmt::format("+{}", more) : "");
}

void add_equal_attributes(document& page, const block_size_answer& size, const launch_attribute& written)
{
    for (const bounds_row& row : size.rows) {
        if (row.attributes.size() < 2) continue;
        const launch_attribute& shown = shown_of(row, size, written);
        std::string text;
        for (const launch_attribute& attribute : row.attributes)
            if (attribute != shown) text += (text.empty() ? "" : ", ") + short_attribute_text(attribute);
        page.line(fmt::format("  the same code as {}: {}", short_attribute_text(shown), text), tone::faint);
    }
}

// If ptxas ignores the attribute of the source, its code may be the best and the attribute still wrong.
cell mark_of(const bounds_row& row, bool keeps)
{
    if (row.recommended) return {row.as_written && keeps ? "keep" : "write", tone::good};
    return row.as_written ? "now" : "";
}

std::string time_cell(const bounds_row& row)
{
    if (!row.measured) return "–";
    if (!row.has_time()) return "failed";
    return fmt::format("{} ±{:.1f} %", time_text(row.measured->time.median), 100 * row.measured->time.spread());
}

// With times, a narrow page has no room for the limits, and less need of them.
table rows_of(const block_size_answer& size, const bounds_answer& answer, bool all_rows, const output_style& style)
{
    const launch_attribute& written = answer.written;
    const bool times = std::ranges::any_of(size.rows, [](const bounds_row& row) { return row.measured.has_value(); });
    table rows{
        {{""}, {"bound"}, {""}, {"regs", true}, {"spills", true}, {"code", true}, {"blocks", true}, {"occup.", true}},
        {}};
    const bool limits = !times || style.width >= 100;
    if (times) rows.columns.push_back({"time", true});
    if (limits) rows.columns.push_back({"limited by"});
    const bool keeps = size.recommendation.attribute == written;
    for (const bounds_row& row : size.rows) {
        if (!all_rows && !row.as_written && !row.recommended && !row.pareto && !row.measured) continue;
        const tone look = row.recommended ? tone::strong : row.pareto || row.as_written ? tone::plain : tone::faint;
        std::vector<cell> cells{
            mark_of(row, keeps), {attributes_text(row, size, written), look}, {row.pareto ? "*" : "", look}};
        cells.emplace_back(known_or_sign(row.kernel.figures.registers, row.kernel), look);
        cells.push_back(spills_cell(row.kernel));
        cells.emplace_back(known_or_sign(row.kernel.figures.code_bytes, row.kernel), look);
        const bool at_most = !answer.launch.dynamic_shared_known || !row.kernel.figures.static_shared_bytes;
        cells.emplace_back(row.launches()  ? (at_most ? "≤" : "") + std::to_string(row.residency->resident_blocks)
                           : row.residency ? "–"
                                           : "?",
                           look);
        cells.emplace_back(row.launches()  ? occupancy_text(row.residency->occupancy(), at_most)
                           : row.residency ? "–"
                                           : "?",
                           look);
        if (times) cells.emplace_back(time_cell(row), look);
        if (limits && row.obstacle.empty())
            cells.emplace_back(row.limited_by, look);
        else if (limits)
            cells.emplace_back("not launchable: " + row.obstacle, tone::bad);
        rows.rows.push_back(std::move(cells));
    }
    return rows;
}

// "most registers for n blocks: 1: 255, 2: 128, 8: 32; warps allow no more". Block counts with the same figure are
// merged into the largest.
std::string thresholds_text(const block_size_answer& size)
{
    std::string text;
    for (std::size_t i = 0; i < size.thresholds.size(); ++i) {
        const bounds_threshold& threshold = size.thresholds[i];
        if (!threshold.registers) continue;
        if (i + 1 < size.thresholds.size() && size.thresholds[i + 1].registers == threshold.registers) continue;
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", threshold.blocks, *threshold.registers);
    }
    if (text.empty()) return text;
    return fmt::format("  most registers for n blocks: {}; {} allow{} no more", text, size.limited_by,
                       size.limited_by == "shared memory" ? "s" : "");
}

void add_conclusion(document& page, const bounds_answer& answer, const block_size_answer& size)
{
    const bounds_recommendation& chosen = size.recommendation;
    switch (chosen.verdict) {
        case bounds_verdict::unknown:
            page.line("  not known: " + escape_for_terminal(chosen.reason), tone::warning);
            break;
        case bounds_verdict::cannot_launch:
            page.line(fmt::format("  {} threads cannot be launched with any bound that was tried: {}", size.threads,
                                  chosen.reason),
                      tone::bad);
            break;
        case bounds_verdict::write:
            page.line("  write " + chosen.reason, tone::good);
            break;
        case bounds_verdict::remove:
            page.line("  remove " + attribute_source(answer.written) + ": " + chosen.reason, tone::good);
            break;
        default:
            page.line("  " + chosen.reason, tone::good);
            break;
    }
    for (const std::string& finding : size.findings) page.line("  " + escape_for_terminal(finding));
}

void add_answer(document& page, const bounds_answer& answer, bool all_rows, const output_style& style,
                cell_signs& signs)
{
    std::string title = fmt::format("{}, {}{}: {}", name_of(answer), escape_for_terminal(answer.architecture),
                                    answer.relocatable ? " -rdc" : "",
                                    answer.written.empty() ? "no launch bound" : attribute_source(answer.written));
    if (answer.launch.dynamic_shared_bytes > 0)
        title += fmt::format(", {} B dynamic shared", with_commas(answer.launch.dynamic_shared_bytes));
    if (answer.launch.dynamic_shared_per_warp > 0)
        title += fmt::format(", {} B dynamic shared a warp", with_commas(answer.launch.dynamic_shared_per_warp));
    if (!answer.launch.dynamic_shared_known) title += ", dynamic shared ?";
    page.heading(title);
    for (const std::string& finding : answer.findings) page.line("  " + escape_for_terminal(finding), tone::warning);
    if (answer.block_sizes.empty())
        page.line("  not known: " +
                      escape_for_terminal(answer.not_swept.empty() ? "no block size to look at" : answer.not_swept),
                  tone::warning);
    for (const block_size_answer& size : answer.block_sizes) {
        page.line(fmt::format(" {} per block{}", counted(size.threads, "thread", "threads"),
                              answer.threads_assumed ? ", which is assumed: the source does not show it" : ""),
                  tone::strong);
        if (!size.rows.empty()) {
            table rows = rows_of(size, answer, all_rows, style);
            signs.note(rows);
            page.add(std::move(rows));
        }
        if (all_rows) add_equal_attributes(page, size, answer.written);
        if (const std::string text = thresholds_text(size); !text.empty()) page.line(text, tone::faint);
        add_conclusion(page, answer, size);
    }
    if (const block_size_answer* best = best_of(answer); best != nullptr && answer.block_sizes.size() > 1)
        page.line(fmt::format(" of these block sizes {} threads {}, with {}", best->threads,
                              best->recommendation.by_time ? "are fastest" : "have the best figures",
                              attribute_text(best->recommendation.attribute)),
                  tone::strong);
    for (const std::string& error : answer.errors)
        page.line("  not compiled: " + escape_for_terminal(error), tone::bad);
}

void add_portable(document& page, const portable_bounds& portable, std::span<const bounds_answer> answers)
{
    std::string architectures;
    for (const bounds_answer& answer : answers)
        architectures += (architectures.empty() ? "" : ", ") + escape_for_terminal(answer.architecture);
    page.heading(fmt::format("{}, {} together, {} threads: {}", name_of(answers.front()), architectures,
                             portable.threads, portable.attribute.empty() ? "no attribute" : portable.attribute));
    std::string text;
    for (const auto* lines : {&portable.lines, &portable.rows})
        for (const std::string& line : *lines) text += "    " + line + "\n";
    page.verbatim(text);
    for (const std::string& note : portable.notes) page.line("  " + note, tone::warning);
}

}  // namespace

}  // namespace launchbox
