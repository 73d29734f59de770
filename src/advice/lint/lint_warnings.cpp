// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/lint_warnings.hpp"

#include <algorithm>
#include <utility>

#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

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
