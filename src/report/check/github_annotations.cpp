// SPDX-License-Identifier: Apache-2.0
#include "report/check/github_annotations.hpp"

#include <algorithm>

#include "report/check/check_location.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string command(const char* level, const file_line& place, const std::string& title, const std::string& message)
{
    std::string text = std::string("::") + level;
    if (!place.file.empty())
        text += " file=" + annotation_property(place.file) + ",line=" + std::to_string(place.line) + ",";
    else
        text += ' ';
    return text + "title=" + annotation_property(title) + "::" + annotation_message(message) + '\n';
}

}  // namespace

std::string check_annotations(const check_outcome& outcome)
{
    const check_result& result = outcome.result;
    std::string text;
    for (const check_finding& finding : result.findings) {
        if (finding.status == check_status::better) continue;
        const checked_kernel& kernel = result.kernels[finding.kernel];
        text +=
            command(finding.fails ? "error" : "warning", location_of(finding, outcome), "launchbox: " + finding.check,
                    title_of(kernel) + " on " + architecture_of(kernel) + ": " + finding.message + " (set in " +
                        place_text(finding.set_by) + ")");
    }
    for (const unchecked_part& part : result.unchecked)
        text += command(part.fails ? "error" : "warning", {}, "launchbox: unchecked", unchecked_text(part));
    for (const unused_rule& rule : result.unused_rules)
        text += command(rule.fails ? "error" : "warning",
                        {relative_path(rule.place.file, outcome.directory), rule.place.line}, "launchbox: unused_rule",
                        "no kernel matches " + rule.pattern);
    for (const inspected_input& input : outcome.inputs)
        for (const std::string& error : input.errors)
            text += command("error", {}, "launchbox: input", input.file + ": " + error);
    if (result.passed() && result.count(check_status::better) > 0)
        text += command("notice", {}, "launchbox: baseline",
                        "figures are better than in the baseline; to keep the gain: launchbox check --write-baseline");
    return text + summary_of(result) + '\n';
}

std::string annotation_message(std::string_view text)
{
    std::string result;
    for (std::size_t start = 0;; ++start) {
        const std::size_t end = std::min(text.find_first_of("%\r\n", start), text.size());
        result += escape_for_terminal(text.substr(start, end - start));
        if (end == text.size()) return result;
        result += text[end] == '%' ? "%25" : text[end] == '\r' ? "%0D" : "%0A";
        start = end;
    }
}

std::string annotation_property(std::string_view text)
{
    std::string result;
    for (char c : annotation_message(text)) {
        if (c == ':')
            result += "%3A";
        else if (c == ',')
            result += "%2C";
        else
            result += c;
    }
    return result;
}

}  // namespace launchbox
