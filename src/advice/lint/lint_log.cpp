// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/lint_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "advice/inspect/compiler_findings.hpp"
#include "compiler/log/log_line.hpp"
#include "compiler/log/log_remark.hpp"
#include "image/names/demangle.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

struct found {
    diagnosis finding;
    std::vector<std::string> architectures;
};

std::string names_of(std::vector<std::string> names)
{
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    constexpr std::size_t shown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), shown); ++i)
        text += (i > 0 ? ", " : "") + escape_for_terminal(short_name(demangle(names[i])));
    if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

diagnosis unnamed(const unnamed_loss& loss, const resource_log& log)
{
    diagnosis finding = loss_finding(loss.text, nullptr);
    std::vector<std::string> names;
    for (const std::size_t one : loss.kernels) names.push_back(log.kernels[one].name);
    if (const std::string_view function = named_kernel(loss.text); !function.empty())
        finding.message += fmt::format(" (in the function {})", names_of({std::string(function)}));
    else if (names.empty())
        finding.message += " (ptxas does not say of which kernel)";
    else
        finding.message += fmt::format(" (of {} of these {} kernels; ptxas does not say which: {})", loss.times,
                                       names.size(), names_of(names));
    return finding;
}

// ptxas replaces a value that is too big by 255, which means no limit, but is not the same as no option.
std::string compiled_as_unlimited(const resource_log& log)
{
    std::vector<std::string> names;
    for (const kernel_info& kernel : log.kernels)
        if (kernel.bounds.maxrregcount == max_register_option) names.push_back(kernel.name);
    if (names.empty()) return "";
    return fmt::format(" and used 255 for {}, which can give other registers than without the flag",
                       names_of(std::move(names)));
}

// -maxrregcount, as far as ptxas reports its effect.
void lint_option(const resource_log& log, const std::string& file, std::vector<diagnosis>& findings)
{
    std::set<std::string> said;
    for (const log_message& message : log.messages) {
        if (message.tool != "ptxas") continue;
        const auto option = option_remark_in(message.text);
        const bool raised = message.text.starts_with("For profile ") &&
                            message.text.find("adjusting per thread register count of ") != std::string::npos;
        const bool too_big = option && (option->value > max_register_option || option->value < 0);
        if ((!too_big && !raised) || !said.insert(message.text).second) continue;
        std::optional<source_location> place;
        if (!file.empty()) place = source_location{file, static_cast<int>(message.line)};
        if (too_big)
            findings.push_back(
                {"maxrregcount_ignored", severity::warning,
                 fmt::format("-maxrregcount {} limits no kernel: {}, and ptxas ignored it{}", option->value,
                             option->value < 0 ? "it is negative" : "it is above 255", compiled_as_unlimited(log)),
                 "use at most 254, or leave it out", place});
        else
            findings.push_back({"maxrregcount_raised", severity::note, "-maxrregcount: " + message.text,
                                "use the value that ptxas took, or more", place});
    }
    // A log contains no bounds; for a source, lint_source knows more.
    if (file.empty()) return;
    std::vector<std::string> names;
    std::optional<int> value;
    for (const kernel_info& kernel : log.kernels)
        if (kernel.bounds.outranks_maxrregcount) {
            value = kernel.bounds.outranks_maxrregcount;
            names.push_back(kernel.name);
        }
    if (value)
        findings.push_back({"maxrregcount_ignored", severity::warning,
                            fmt::format("-maxrregcount {} does not limit {}: a kernel with a bound of its own keeps it",
                                        *value, names_of(names)),
                            "choose min_blocks in __launch_bounds__(threads, min_blocks), or add -Xptxas "
                            "--override-directive-values"});
}

// Counted from 1; empty after the last.
std::string_view nth_line(std::string_view text, int number)
{
    for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find('\n'));
}

// The pragma probably meant by one that the compiler does not know; empty if none is similar.
std::string meant_pragma(std::string_view line)
{
    constexpr std::string_view pragma = "pragma";
    const std::size_t at = line.find(pragma);
    if (at == std::string_view::npos) return {};
    line.remove_prefix(at + pragma.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return nearest(std::string(line.substr(0, line.find_first_of(" \t\r("))),
                   {"unroll", "nounroll", "once", "pack", "nv_diag_suppress", "nv_diag_default",
                    "nv_exec_check_disable", "nv_abi", "push_macro", "pop_macro"});
}

std::string remedy_for(const log_message& message, const std::string& file, std::string_view text)
{
    if (message.text.find("unrecognized #pragma") == std::string::npos || !message.source_line)
        return "fix it, or turn it off with #pragma nv_diag_suppress and its number";
    const std::string meant =
        message.source_file == file ? meant_pragma(nth_line(text, *message.source_line)) : std::string();
    return meant.empty() ? "the compiler ignores it: correct it, or leave it out"
                         : "did you mean #pragma " + meant + "?";
}

}  // namespace

std::vector<diagnosis> lint_logs(const std::vector<linted_log>& logs)
{
    std::vector<found> all;
    for (const linted_log& one : logs) {
        std::vector<diagnosis> findings;
        lint_option(*one.log, one.file, findings);
        for (const unnamed_loss& loss : one.log->losses) {
            findings.push_back(unnamed(loss, *one.log));
            if (!one.file.empty()) findings.back().place = source_location{one.file, static_cast<int>(loss.line)};
        }
        for (diagnosis& finding : findings) {
            auto same = std::ranges::find_if(all, [&](const found& other) {
                return other.finding.id == finding.id && other.finding.message == finding.message &&
                       other.finding.place == finding.place;
            });
            if (same == all.end()) same = all.insert(all.end(), {std::move(finding), {}});
            if (!one.architecture.empty()) same->architectures.push_back(one.architecture);
        }
    }
    std::vector<diagnosis> result;
    for (found& one : all) {
        if (!one.architectures.empty() && one.architectures.size() < logs.size())
            one.finding.message = fmt::format("{} ({})", one.finding.message, fmt::join(one.architectures, ", "));
        result.push_back(std::move(one.finding));
    }
    return result;
}

void add_warnings(const resource_log& log, const std::string& file, std::string_view text,
                  std::vector<diagnosis>& findings)
{
    for (const log_message& message : log.messages) {
        if (message.severity != log_severity::warning || !message.kernel.empty() || message.tool == "ptxas") continue;
        diagnosis finding{.id = "compiler_warning",
                          .level = severity::warning,
                          .message = escape_for_terminal(message.text),
                          .fix = remedy_for(message, file, text),
                          .place = {}};
        if (message.source_line) finding.place = source_location{message.source_file, *message.source_line};
        if (message.tool != "front end") finding.message = message.tool + ": " + finding.message;
        if (std::ranges::find(findings, finding) == findings.end()) findings.push_back(std::move(finding));
    }
}

}  // namespace launchbox
