// SPDX-License-Identifier: Apache-2.0
#include "report/check/github_annotations.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "advice/check/baseline_changes.hpp"
#include "image/names/demangle.hpp"
#include "report/check/check_location.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// One annotation; equal ones of a kernel for several architectures are merged.
struct annotation {
    const char* level;
    file_line place;
    std::string title;
    std::string subject;  ///< the kernel; if empty, `details` has one sentence
    std::vector<std::pair<std::string, std::vector<std::string>>> details = {};  ///< message, architectures
};

std::string message_of(const annotation& one)
{
    std::string text = one.subject;
    for (const auto& [message, architectures] : one.details) {
        if (!one.subject.empty()) {
            text += &message == &one.details.front().first ? " on " : "; on ";
            for (std::size_t i = 0; i < architectures.size(); ++i) text += (i == 0 ? "" : ", ") + architectures[i];
            text += ": ";
        }
        text += message;
    }
    return text;
}

std::string command_of(const annotation& one)
{
    std::string text = std::string("::") + one.level;
    if (!one.place.file.empty())
        text += " file=" + annotation_property(one.place.file) + ",line=" + std::to_string(one.place.line) + ",";
    else
        text += ' ';
    return text + "title=" + annotation_property(one.title) + "::" + annotation_message(message_of(one)) + '\n';
}

// Merges the finding into `all`, or appends it.
void add_finding(const check_finding& finding, const check_outcome& outcome, std::vector<annotation>& all,
                 std::map<std::tuple<bool, std::string, std::string, std::string>, std::size_t>& places)
{
    const checked_kernel& kernel = outcome.result.kernels[finding.kernel];
    annotation made{finding.fails ? "error" : "warning", location_of(finding, outcome), "launchbox: " + finding.check,
                    title_of(kernel)};
    const auto [place, is_new] = places.try_emplace(
        {finding.fails, made.place.file + ':' + std::to_string(made.place.line), made.title, kernel.identity},
        all.size());
    if (is_new) all.push_back(std::move(made));
    auto& details = all[place->second].details;
    // The line in a baseline differs for each architecture but hardly matters: the first stands for all.
    for (auto& [told, architectures] : details)
        if (told.starts_with(finding.message + " (set in ")) {
            architectures.push_back(architecture_of(kernel));
            return;
        }
    details.push_back({finding.message + " (set in " + place_text(finding.set_by) + ")", {architecture_of(kernel)}});
}

std::vector<annotation> annotations_of(const check_outcome& outcome)
{
    const check_result& result = outcome.result;
    std::vector<annotation> all;
    const auto add = [&](bool fails, const file_line& place, const char* what, const std::string& message) {
        all.push_back({fails ? "error" : "warning", place, std::string("launchbox: ") + what, "", {{message, {}}}});
    };
    for (const inspected_input& input : outcome.inputs)
        for (const std::string& error : input.errors) add(true, {}, "input", input.file + ": " + error);
    for (const unchecked_part& part : result.unchecked) add(part.fails, {}, "unchecked", unchecked_text(part));
    // Kernels that changed for the worse, in the order of the table, then those that only break the budget.
    std::map<std::tuple<bool, std::string, std::string, std::string>, std::size_t> places;
    std::vector<bool> is_told(result.kernels.size(), false);
    const auto add_kernel = [&](std::size_t kernel) {
        if (is_told[kernel]) return;
        is_told[kernel] = true;
        auto finding = std::ranges::lower_bound(result.findings, kernel, {}, &check_finding::kernel);
        for (; finding != result.findings.end() && finding->kernel == kernel; ++finding)
            if (finding->status != check_status::better) add_finding(*finding, outcome, all, places);
    };
    const std::map<std::string, std::size_t> lost = lost_architectures(result);
    for (const auto& [architecture, kernels] : lost)
        add(true, {}, "baseline_architecture", lost_text(architecture, kernels));
    for (const baseline_change& change : baseline_changes(result)) {
        if (change.kernel) add_kernel(*change.kernel);
        if (!change.gone || !result.gone[*change.gone].fails) continue;
        const gone_kernel& gone = result.gone[*change.gone];
        if (!lost.contains(gone.architecture))
            add(true, {}, "baseline_architecture", short_name(gone.identity) + ": " + lost_text(gone));
    }
    for (const check_finding& finding : result.findings) add_kernel(finding.kernel);
    for (const unused_rule& rule : result.unused_rules)
        add(rule.fails, {relative_path(rule.place.file, outcome.directory), rule.place.line}, "unused_rule",
            "no kernel matches " + rule.pattern);
    return all;
}

}  // namespace

std::string check_annotations(const check_outcome& outcome)
{
    const check_result& result = outcome.result;
    std::string text, rest;
    std::map<std::string_view, std::size_t> counts, shown;
    const std::vector<annotation> all = annotations_of(outcome);
    for (const annotation& one : all) ++counts[one.level];
    for (const annotation& one : all) {
        const bool too_many = counts[one.level] > max_annotations;
        if (!too_many || shown[one.level] + 1 < max_annotations) {
            text += command_of(one);
            ++shown[one.level];
        } else {
            rest += escape_for_terminal(std::string(one.level) + ": " + message_of(one)) + '\n';
        }
    }
    for (const auto& [level, number] : counts)
        if (number > max_annotations)
            text += "::" + std::string(level) + " title=launchbox::" +
                    annotation_message(count_text(number - (max_annotations - 1)) +
                                       " more like these are in the log of this step, and in the table") +
                    '\n';
    if (result.passed() && !outcome.keeps_figures && result.count(check_status::better) > 0)
        text +=
            "::notice title=launchbox%3A baseline::figures are better than in the baseline; to keep the gain: "
            "launchbox check --write-baseline\n";
    return text + rest + summary_of(result) + '\n';
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
