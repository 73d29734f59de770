// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/kernels_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "image/skipped_images.hpp"
#include "report/kernels/kernel_list.hpp"
#include "report/kernels/kernel_tables.hpp"

namespace launchbox {

namespace {

// Whether there are too many kernels to read one by one.
bool are_many(const std::vector<inspected_kernel>& kernels);

void add_what_is_no_kernel(document& page, const inspection& found, table_place place);

// Findings about the sources themselves.
void add_source_findings(document& page, const inspection& found);

// Notes what --spilling and --top left out.
void add_left_out(document& page, const inspection& found);

// Kernels without code for an architecture that was asked for.
void add_missing(document& page, const inspection& found);

// Describes each input if there are several, or if a file contains more than its kernels show.
void add_inputs(document& page, const inspection& found);

}  // namespace

bool shown_as_list(const inspection& found)
{
    return !found.kernels.empty() && (found.wish.sort || found.wish.top || are_many(found.kernels));
}

document kernel_tables_document(const inspection& found, const std::vector<kernel_account>& accounts, table_place place)
{
    document page;
    add_kernel_tables(page, found, accounts, place);
    add_what_is_no_kernel(page, found, place);
    return page;
}

document kernel_list_document(const inspection& found, const std::vector<finding_count>& findings,
                              const output_style& style, table_place place)
{
    document page;
    add_kernel_list(page, found, findings, style, place);
    add_what_is_no_kernel(page, found, place);
    return page;
}

std::vector<std::string> missing_lines(const std::vector<missing_kernel>& missing)
{
    constexpr std::size_t max_shown_names = 5;
    constexpr int max_name_width = 60;  // some have 24,000 characters
    std::vector<std::string> lines;
    std::vector<compute_capability> targets;
    for (const missing_kernel& one : missing)
        if (std::ranges::find(targets, one.wanted) == targets.end()) targets.push_back(one.wanted);
    for (const compute_capability& wanted : targets) {
        std::vector<std::string> names;
        std::size_t more = 0;
        for (const missing_kernel& one : missing) {
            if (one.wanted != wanted) continue;
            std::vector<std::string> there;
            for (const std::string& name : one.there) there.push_back(escape_for_terminal(name));
            std::string text = fmt::format("{} ({})", shortened(escape_for_terminal(one.short_form), max_name_width),
                                           fmt::join(there, ", "));
            if (std::ranges::find(names, text) != names.end()) continue;
            if (names.size() < max_shown_names)
                names.push_back(std::move(text));
            else
                ++more;
        }
        lines.push_back(fmt::format("no code that runs on {}: {}{}", architecture_name(wanted).view(),
                                    fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
    }
    return lines;
}

namespace {

void add_what_is_no_kernel(document& page, const inspection& found, table_place place)
{
    if (place == table_place::alone) add_source_findings(page, found);
    add_left_out(page, found);
    add_missing(page, found);
    add_inputs(page, found);
}

void add_missing(document& page, const inspection& found)
{
    bool first = true;
    for (const inspected_input& input : found.inputs)
        for (const std::string& text : missing_lines(input.missing)) {
            if (std::exchange(first, false) && !page.blocks.empty()) page.line("");
            page.line(
                fmt::format("  {}: {}", input.file == "-" ? "standard input" : escape_for_terminal(input.file), text),
                tone::warning);
        }
}

bool are_many(const std::vector<inspected_kernel>& kernels)
{
    std::unordered_set<std::string_view> names;
    for (const inspected_kernel& kernel : kernels)
        if (names.insert(kernel.info.name); names.size() >= many_kernels) return true;
    return false;
}

void add_inputs(document& page, const inspection& found)
{
    if (found.inputs.size() == 1 && found.inputs.front().images.empty()) return;
    page.line("");
    for (const inspected_input& input : found.inputs) {
        std::vector<std::pair<std::string, std::string>> kinds;  // "cubin" and its architectures, for the images read
        const bool linked = input.kind == "executable" || input.kind == "shared library";
        bool hidden = false;
        for (const binary_image& image : input.images) {
            if (linked && image.relocatable && image.kernels == 0) {
                hidden = true;
                continue;
            }
            if (image.kind != "cubin" && image.kind != "PTX") continue;
            auto place = std::ranges::find(kinds, image.kind, &std::pair<std::string, std::string>::first);
            if (place == kinds.end()) place = kinds.insert(place, {image.kind, ""});
            const std::string name = image.architecture.empty() ? "?" : image.architecture;
            if ((", " + place->second + ",").find(", " + name + ",") == std::string::npos)
                place->second += (place->second.empty() ? "" : ", ") + name;
        }
        std::string text =
            fmt::format("  {}: {}", input.file == "-" ? "standard input" : escape_for_terminal(input.file), input.kind);
        for (const auto& [kind, architectures] : kinds)
            text += fmt::format("; {} {}", escape_for_terminal(kind), escape_for_terminal(architectures));
        if (const std::string skipped = skipped_text(skipped_in(input.images)); !skipped.empty())
            text += "; not read: " + skipped;
        if (hidden) text += "; images before linking are not shown (--before-linking)";
        page.line(std::move(text), tone::faint);
    }
}

void add_source_findings(document& page, const inspection& found)
{
    bool first = true;
    for (const inspected_input& input : found.inputs)
        for (const diagnosis& finding : input.diagnoses) {
            if (std::exchange(first, false) && !page.blocks.empty()) page.line("");
            add_finding(page, finding,
                        finding.place ? fmt::format(" ({}:{})", finding.place->file, finding.place->line) : "");
        }
}

void add_left_out(document& page, const inspection& found)
{
    const auto number = [](std::size_t count) { return with_commas(static_cast<std::int64_t>(count)); };
    const bool all_read =
        std::ranges::all_of(found.inputs, [](const inspected_input& input) { return input.errors.empty(); });
    if (found.wish.spilling && found.kernels.empty())
        page.line(all_read ? "No kernel is known to spill."
                           : "No kernel is known to spill, of those that could be read.");
    const bool unknown = found.wish.spilling && found.selection.spills_unknown > 0;
    if (!found.kernels.empty() && (found.selection.not_shown > 0 || unknown)) page.line("");
    if (found.selection.not_shown > 0)
        page.line(fmt::format("  {} more: --top all", number(found.selection.not_shown)));
    if (shown_as_list(found) && found.kernels.size() > found.page_rows) {
        page.line("");
        page.line(fmt::format("  {} more are not shown: --top all shows them, and JSON and CSV have them",
                              number(found.kernels.size() - found.page_rows)));
    }
    if (unknown)
        page.line(fmt::format("  {} more may spill: the input does not contain their spills.",
                              number(found.selection.spills_unknown)),
                  tone::warning);
}

}  // namespace

}  // namespace launchbox
