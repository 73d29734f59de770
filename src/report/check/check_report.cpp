// SPDX-License-Identifier: Apache-2.0
#include "report/check/check_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "image/names/kernel_identity.hpp"
#include "report/core/short_names.hpp"
#include "report/kernels/skipped_report.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_rows = 200;  // of one table
constexpr int widest_name = 160;       // there are some of 24,000
constexpr std::size_t max_named = 20;  // of kernels that only changed place: the summary has the count

void add_findings(const check_result& result, bool (*wanted)(const check_finding&), const char* title, document& page);
std::string kernels_text(const std::vector<std::string>& names);
void add_kernels(const char* title, const std::vector<std::string>& names, document& page);

// Figures that are right, and not those of what somebody may think of.
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

// The others are told with what they hold.
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

document check_document(const check_outcome& outcome)
{
    const check_result& result = outcome.result;
    document page;
    // What fails first, what got better last.
    for (const unchecked_part& part : result.unchecked)
        page.line(unchecked_text(part), part.fails ? tone::bad : tone::warning);
    add_findings(
        result, [](const check_finding& finding) { return finding.status == check_status::broken; }, "Broken", page);
    add_findings(
        result, [](const check_finding& finding) { return finding.status == check_status::unknown && finding.fails; },
        "Cannot be checked", page);
    add_findings(
        result, [](const check_finding& finding) { return finding.status == check_status::unknown && !finding.fails; },
        "Cannot be checked, allowed", page);
    if (!result.unused_rules.empty()) {
        page.heading("Rules that match no kernel");
        table rows{{{"rule"}, {"set by"}}, {}};
        for (const unused_rule& rule : result.unused_rules)
            rows.rows.push_back({{escape_for_terminal(rule.pattern), rule.fails ? tone::bad : tone::warning},
                                 escape_for_terminal(place_text(rule.place))});
        page.add(std::move(rows));
    }
    std::vector<std::string> names;
    for (std::size_t k : result.new_kernels)
        names.push_back(title_of(result.kernels[k]) + "  " + architecture_of(result.kernels[k]));
    add_kernels("Not in the baseline", names, page);
    names.clear();
    for (const gone_kernel& kernel : result.gone)
        names.push_back(escape_for_terminal(kernel.identity) + "  " +
                        (kernel.architecture.empty() ? "?" : escape_for_terminal(kernel.architecture)));
    add_kernels("In the baseline and not found", names, page);
    add_findings(
        result, [](const check_finding& finding) { return finding.status == check_status::better; },
        "Better than the baseline", page);

    add_skipped(page, inputs_with_kernels(outcome));
    const bool only_unchecked = page.blocks.size() == result.unchecked.size();
    if (!page.blocks.empty() && !only_unchecked) page.line("");
    page.line(summary_of(result), result.passed() ? tone::good : tone::bad);
    if (result.unlinked > 0)
        page.line(
            plural(result.unlinked, "kernel is", "kernels are") +
            " compiled with -rdc and not linked: registers, stack and shared memory are final only after linking");
    add_kinds_of_code(result, page);
    if (result.renumbered > 0)
        page.line(fmt::format(
            "{} compared with the baseline without the hash or counter in {}, which changes with every build",
            plural(result.renumbered, "kernel is", "kernels are"),
            result.renumbered == 1 ? "its name" : "their names"));
    if (result.passed() &&
        (result.count(check_status::better) > 0 || !result.new_kernels.empty() || !result.gone.empty()))
        page.line("→ to compare with the new figures from now on: launchbox check --write-baseline");
    return page;
}

std::string summary_of(const check_result& result)
{
    // What the only gates have decided nothing about was not checked.
    const bool idle = !result.gates.empty() && std::ranges::all_of(result.gates, [](const gate& one) {
        return one.decided == 0 && one.failing == 0;
    });
    std::string text = plural(result.kernels.size(), "kernel × architecture", "kernels × architectures");
    std::string against;
    if (!result.budget_file.empty()) against = plural(result.rules, "rule", "rules");
    if (!result.baseline_file.empty()) against += against.empty() ? "the baseline" : " and the baseline";
    if (result.options > 0) against += (against.empty() ? "" : " and ") + plural(result.options, "option", "options");
    text += (idle && !result.kernels.empty() ? " and " : " checked against ") + against + ": ";
    std::string counts;
    const auto add = [&](std::size_t number, const char* one, const char* many) {
        if (number > 0) counts += (counts.empty() ? "" : ", ") + plural(number, one, many);
    };
    add(result.count(check_status::broken), "violation", "violations");
    add(result.count(check_status::unknown), "cannot be checked", "cannot be checked");
    add(result.unused_rules.size(), "unused rule", "unused rules");
    add(result.count(check_status::better), "better figure", "better figures");
    add(result.new_kernels.size(), "new kernel", "new kernels");
    add(result.gone.size(), "kernel gone", "kernels gone");
    const auto failing = static_cast<std::size_t>(
        std::ranges::count_if(result.unchecked, [](const unchecked_part& part) { return part.fails; }));
    if (result.kernels.empty() || idle)
        counts = counts.empty() ? "nothing was checked" : "nothing was checked, " + counts;
    else
        add(failing, "requested part not checked", "requested parts not checked");
    // The exit status says so too.
    add(result.inputs_with_errors, "input with errors", "inputs with errors");
    if (result.interrupted) counts += counts.empty() ? "interrupted" : ", interrupted";
    if (counts.empty()) counts = "all is well";
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
        text += (i == 0 ? "" : ", ") + shortened(escape_for_terminal(names[i]), widest_name);
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
    for (const unused_rule& rule : result.unused_rules)
        if (rule.fails) lines.push_back(fmt::format("no kernel matches {} ({})", rule.pattern, place_text(rule.place)));
    return lines;
}

const char* status_name(check_status status)
{
    return status == check_status::broken ? "broken" : status == check_status::unknown ? "unknown" : "better";
}

namespace {

void add_findings(const check_result& result, bool (*wanted)(const check_finding&), const char* title, document& page)
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
        // What is not known needs its reason, and an impossible launch too; the same one is said once.
        const bool obstacle = finding.check.starts_with("min_") && finding.message.find(" (") != std::string::npos;
        if (finding.status != check_status::unknown && !obstacle) continue;
        const std::string reason = "  " + finding.check + ": " + escape_for_terminal(finding.message);
        if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end() && reasons.size() < max_named)
            reasons.push_back(reason);
    }
    if (rows.rows.empty()) return;
    names = shortened_apart(names, widest_name);
    for (std::size_t i = 0; i < names.size(); ++i) rows.rows[i].front() = cell(std::move(names[i]));
    page.heading(title);
    page.add(std::move(rows));
    if (left_out > 0)
        page.line(fmt::format("  {} more are not shown: --format json and --format csv have them",
                              with_commas(static_cast<std::int64_t>(left_out))));
    for (const std::string& reason : reasons) page.line(reason);
}

void add_kernels(const char* title, const std::vector<std::string>& names, document& page)
{
    if (names.empty()) return;
    page.heading(title);
    for (std::size_t i = 0; i < std::min(names.size(), max_named); ++i) page.line("  " + names[i]);
    if (names.size() > max_named)
        page.line(fmt::format("  … and {}", plural(names.size() - max_named, "other", "others")));
}

}  // namespace

}  // namespace launchbox
