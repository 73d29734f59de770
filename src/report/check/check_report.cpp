// SPDX-License-Identifier: Apache-2.0
#include "report/check/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "advice/check/baseline_changes.hpp"
#include "image/names/demangle.hpp"
#include "image/names/kernel_identity.hpp"
#include "report/check/changes_table.hpp"
#include "report/core/short_names.hpp"
#include "report/kernels/skipped_report.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_reasons = 20;

void add_unchecked(const check_result& result, std::size_t max_rows, document& page);
void add_findings(const check_result& result, bool (*wanted)(const check_finding&), const char* title,
                  std::size_t max_rows, document& page);
void add_unused_rules(const check_result& result, std::size_t max_rows, document& page);
std::string kernels_text(const std::vector<std::string>& names);

// Findings of the baseline are in the table of changes.
bool is_of_budget(const check_finding& finding)
{
    return !finding.check.starts_with("baseline_");
}

// These figures are right, but may not belong to the build that the reader has in mind.
void add_kinds_of_code(const check_result& result, document& page)
{
    std::vector<std::string> older, debug;
    for (const checked_kernel& kernel : result.kernels) {
        if (kernel.info.runs_on) older.push_back(title_of(kernel) + " " + architecture_of(kernel));
        if (has_debug_build(kernel)) debug.push_back(title_of(kernel));
    }
    if (!older.empty()) page.line("code for an older architecture that runs there: " + kernels_text(older));
    if (!debug.empty())
        page.line("debug builds, whose figures are not those of a release build: " + kernels_text(debug),
                  tone::warning);
}

// Inputs without kernels are listed with their content.
std::vector<inspected_input> inputs_with_kernels(const check_outcome& outcome)
{
    std::vector<inspected_input> inputs;
    for (const inspected_input& input : outcome.inputs)
        if (std::ranges::none_of(outcome.result.unchecked, [&](const unchecked_part& part) {
                return part.architecture.empty() && part.file == input.file;
            }))
            inputs.push_back(input);
    return inputs;
}

std::string plural(std::size_t number, const char* one, const char* many)
{
    return fmt::format("{} {}", with_commas(static_cast<std::int64_t>(number)), number == 1 ? one : many);
}

}  // namespace

document check_document(const check_outcome& outcome, std::size_t max_rows)
{
    const check_result& result = outcome.result;
    document page;
    // Failures first, improvements last.
    add_unchecked(result, max_rows, page);
    const std::size_t unchecked = page.blocks.size();
    add_findings(
        result,
        [](const check_finding& finding) { return is_of_budget(finding) && finding.status == check_status::broken; },
        "Broken", max_rows, page);
    add_findings(
        result,
        [](const check_finding& finding) {
            return is_of_budget(finding) && finding.status == check_status::unknown && finding.fails;
        },
        "Cannot be checked", max_rows, page);
    add_findings(
        result,
        [](const check_finding& finding) {
            return is_of_budget(finding) && finding.status == check_status::unknown && !finding.fails;
        },
        "Cannot be checked, allowed", max_rows, page);
    add_unused_rules(result, max_rows, page);
    add_changes(result, max_rows, page);

    add_skipped(page, inputs_with_kernels(outcome));
    const bool only_unchecked = page.blocks.size() == unchecked;
    if (!page.blocks.empty() && !only_unchecked) page.line("");
    page.line(summary_of(result), result.passed() ? tone::good : tone::bad);
    if (result.unlinked > 0)
        page.line(
            plural(result.unlinked, "kernel is", "kernels are") +
            " compiled with -rdc and not linked: registers, stack and shared memory are final only after linking");
    add_kinds_of_code(result, page);
    if (result.renamed > 0)
        page.line(plural(result.renamed, "kernel has", "kernels have") +
                  " other parameters, or another file, than in the baseline, and " +
                  (result.renamed == 1 ? "is" : "are") + " still compared");
    if (result.renumbered > 0)
        page.line(fmt::format(
            "{} compared with the baseline without the hash or counter in {}, which changes with every build",
            plural(result.renumbered, "kernel is", "kernels are"),
            result.renumbered == 1 ? "its name" : "their names"));
    if (result.passed() && !outcome.keeps_figures &&
        (result.count(check_status::better) > 0 || !result.new_kernels.empty() || !result.gone.empty()))
        page.line("→ to compare with the new figures from now on: launchbox check --write-baseline");
    return page;
}

std::string summary_of(const check_result& result)
{
    // If none of the gates has decided anything, nothing was checked.
    const bool idle = !result.gates.empty() && std::ranges::all_of(result.gates, [](const gate& one) {
        return one.decided == 0 && one.failing == 0;
    });
    std::string text = plural(result.kernels.size(), "kernel × architecture", "kernels × architectures");
    const bool first = result.budget_file.empty() && result.baseline_file.empty() && result.options == 0;
    std::string against;
    if (!result.budget_file.empty()) against = plural(result.rules, "rule", "rules");
    if (!result.baseline_file.empty()) against += against.empty() ? "the baseline" : " and the baseline";
    if (result.options > 0) against += (against.empty() ? "" : " and ") + plural(result.options, "option", "options");
    text += (first                             ? std::string(", and nothing to compare them with yet")
             : idle && !result.kernels.empty() ? " and " + against
                                               : " checked against " + against) +
            ": ";
    std::string counts;
    const auto add = [&](std::size_t number, const char* one, const char* many) {
        if (number > 0) counts += (counts.empty() ? "" : ", ") + plural(number, one, many);
    };
    add(result.count(check_status::broken), "violation", "violations");
    add(result.count(check_status::unknown), "cannot be checked", "cannot be checked");
    add(result.unused_rules.size(), "unused rule", "unused rules");
    add(result.count(check_status::better), "better figure", "better figures");
    add(result.new_kernels.size(), "new kernel", "new kernels");
    const auto lost = static_cast<std::size_t>(std::ranges::count(result.gone, true, &gone_kernel::fails));
    add(lost, "kernel × architecture lost", "kernels × architectures lost");
    add(result.gone.size() - lost, "kernel gone", "kernels gone");
    const auto failing = static_cast<std::size_t>(
        std::ranges::count_if(result.unchecked, [](const unchecked_part& part) { return part.fails; }));
    if (result.kernels.empty() || idle)
        counts = counts.empty() ? "nothing was checked" : "nothing was checked, " + counts;
    else
        add(failing, "requested part not checked", "requested parts not checked");
    // Counted because the exit status depends on it.
    add(result.inputs_with_errors, "input with errors", "inputs with errors");
    if (result.interrupted) counts += counts.empty() ? "interrupted" : ", interrupted";
    if (counts.empty()) counts = first ? "nothing was checked" : "all checks passed";
    text += counts;
    if (result.ptx_only > 0)
        text += fmt::format("; {} not checked: only PTX", plural(result.ptx_only, "kernel", "kernels"));
    return text;
}

std::string title_of(const checked_kernel& kernel)
{
    std::string title = kernel.info.short_form;
    if (const std::string_view file = file_in_symbol(kernel.info.name); !file.empty())
        title.append(" [").append(file).append("]");
    return escape_for_terminal(title);
}

std::string architecture_of(const checked_kernel& kernel)
{
    if (kernel.info.architecture.empty()) return "?";
    return escape_for_terminal(kernel.info.architecture) +
           (kernel.info.runs_on ? "→" + architecture_where_run(kernel.info) : "");
}

std::string place_text(const file_line& place)
{
    if (place.line == 0) return place.file;  // an option of the command line
    return fmt::format("{}:{}", place.file == "-" ? "standard input" : place.file, place.line);
}

namespace {

std::string kernels_text(const std::vector<std::string>& names)
{
    constexpr std::size_t max_shown_names = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), max_shown_names); ++i)
        text += (i == 0 ? "" : ", ") + shortened(escape_for_terminal(names[i]), widest_check_name);
    if (names.size() > max_shown_names) text += fmt::format(" and {} more", names.size() - max_shown_names);
    return text;
}

}  // namespace

std::string unchecked_text(const unchecked_part& part)
{
    if (part.is_gate)
        return fmt::format("{}: nothing was checked: {}{}",
                           part.file == "-" ? "standard input" : escape_for_terminal(part.file), part.why,
                           part.fails ? "; --allow-empty accepts that" : "");
    const std::string file = part.file.empty()  ? "the inputs"
                             : part.file == "-" ? "standard input"
                                                : escape_for_terminal(part.file);
    std::string what = part.architecture.empty() ? "no kernel was checked" : "no kernel for " + part.architecture;
    if (!part.kernels.empty()) what = kernels_text(part.kernels) + ": no code for " + part.architecture;
    return file + ": " + what + (part.why.empty() ? "" : ": " + part.why);
}

std::vector<std::string> failures_of(const check_result& result)
{
    std::vector<std::string> lines;
    for (const check_finding& finding : result.findings)
        if (finding.fails)
            lines.push_back(fmt::format("{} {}: {}: {} ({})", title_of(result.kernels[finding.kernel]),
                                        architecture_of(result.kernels[finding.kernel]), finding.check, finding.message,
                                        place_text(finding.set_by)));
    for (const unchecked_part& part : result.unchecked)
        if (part.fails) lines.push_back(unchecked_text(part));
    const std::map<std::string, std::size_t> lost = lost_architectures(result);
    for (const auto& [architecture, kernels] : lost) lines.push_back(lost_text(architecture, kernels));
    for (const gone_kernel& gone : result.gone)
        if (gone.fails && !lost.contains(gone.architecture))
            lines.push_back(
                fmt::format("{} {}: baseline_architecture: {} ({})", escape_for_terminal(short_name(gone.identity)),
                            escape_for_terminal(gone.architecture), lost_text(gone), place_text(gone.place)));
    for (const unused_rule& rule : result.unused_rules)
        if (rule.fails) lines.push_back(fmt::format("no kernel matches {} ({})", rule.pattern, place_text(rule.place)));
    return lines;
}

std::string lost_text(const gone_kernel& gone)
{
    std::string text = "no code that runs on " + escape_for_terminal(gone.architecture) + "; the kernel has code for ";
    for (std::size_t i = 0; i < gone.elsewhere.size(); ++i)
        text += (i == 0 ? "" : ", ") + escape_for_terminal(gone.elsewhere[i]);
    return text;
}

std::string lost_text(const std::string& architecture, std::size_t kernels)
{
    return fmt::format("no code that runs on {} any more: {} kernels of the baseline had it",
                       escape_for_terminal(architecture), count_text(kernels));
}

const char* status_name(check_status status)
{
    return status == check_status::broken ? "broken" : status == check_status::unknown ? "unknown" : "better";
}

namespace {

void add_unchecked(const check_result& result, std::size_t max_rows, document& page)
{
    std::size_t shown = 0;
    for (const unchecked_part& part : result.unchecked)
        if (shown++ < max_rows) page.line(unchecked_text(part), part.fails ? tone::bad : tone::warning);
    if (shown > max_rows) add_left_out(shown - max_rows, page);
}

void add_unused_rules(const check_result& result, std::size_t max_rows, document& page)
{
    if (result.unused_rules.empty()) return;
    page.heading("Rules that match no kernel");
    table rows{{{"rule"}, {"set by"}}, {}};
    for (const unused_rule& rule : result.unused_rules)
        if (rows.rows.size() < max_rows)
            rows.rows.push_back({{escape_for_terminal(rule.pattern), rule.fails ? tone::bad : tone::warning},
                                 escape_for_terminal(place_text(rule.place))});
    page.add(std::move(rows));
    if (result.unused_rules.size() > max_rows) add_left_out(result.unused_rules.size() - max_rows, page);
}

void add_findings(const check_result& result, bool (*wanted)(const check_finding&), const char* title,
                  std::size_t max_rows, document& page)
{
    table rows{{{"kernel"}, {"arch"}, {"check"}, {"value", true}, {"limit", true}, {"set by"}}, {}};
    std::vector<std::string> reasons;
    std::vector<std::string> names;
    std::size_t left_out = 0;
    for (const check_finding& finding : result.findings) {
        if (!wanted(finding)) continue;
        if (rows.rows.size() == max_rows) {
            ++left_out;
            continue;
        }
        names.push_back(title_of(result.kernels[finding.kernel]));
        const tone look = finding.status == check_status::better ? tone::good
                          : finding.fails                        ? tone::bad
                                                                 : tone::warning;
        rows.rows.push_back({title_of(result.kernels[finding.kernel]),
                             architecture_of(result.kernels[finding.kernel]),
                             finding.check,
                             {finding.shown_value, look},
                             finding.shown_limit,
                             escape_for_terminal(place_text(finding.set_by))});
        // An unknown figure or an impossible launch needs its reason; each reason is written once.
        const bool obstacle = finding.check.starts_with("min_") && finding.message.find(" (") != std::string::npos;
        if (finding.status != check_status::unknown && !obstacle) continue;
        const std::string reason = "  " + finding.check + ": " + escape_for_terminal(finding.message);
        if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end() && reasons.size() < max_reasons)
            reasons.push_back(reason);
    }
    if (rows.rows.empty()) return;
    names = shortened_apart(names, widest_check_name);
    for (std::size_t i = 0; i < names.size(); ++i) rows.rows[i].front() = name_cell(std::move(names[i]));
    page.heading(title);
    page.add(std::move(rows));
    if (left_out > 0) add_left_out(left_out, page);
    for (const std::string& reason : reasons) page.line(reason);
}

}  // namespace

std::string check_markdown(const check_outcome& outcome)
{
    std::size_t rows = max_check_rows;
    std::string text = render_markdown(check_document(outcome, rows));
    while (text.size() > max_check_markdown && rows > 0)
        text = render_markdown(check_document(outcome, rows = rows * 3 / 4));
    return text;
}

}  // namespace launchbox
