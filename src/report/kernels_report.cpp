#include "report/kernels_report.hpp"

#include <fmt/format.h>
#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "image/launch_box_name.hpp"
#include "report/kernel_cells.hpp"
#include "report/kernel_list.hpp"
#include "report/occupancy_report.hpp"

namespace launchbox {

namespace {

using kernel_group = std::vector<const inspected_kernel*>;

// Whether there are more kernels than a reader takes in one by one.
bool are_many(const std::vector<inspected_kernel>& kernels);

// By kernel and input, architectures side by side, in the order in which they were found.
std::vector<kernel_group> groups_of(const std::vector<inspected_kernel>& kernels);

void add_group(document& page, const kernel_group& group, const inspection& found, cell_signs& signs);

// What there is to say of the sources themselves.
void add_source_findings(document& page, const inspection& found);

// What --spilling and --top left out.
void add_left_out(document& page, const inspection& found);

// What each input was, where that is not plain: several, or a file that holds more than its kernels show.
void add_inputs(document& page, const inspection& found);

}  // namespace

document kernels_document(const inspection& found, const output_style& style)
{
    document page;
    if (!found.kernels.empty() && (found.wish.sort || found.wish.top || are_many(found.kernels))) {
        add_kernel_list(page, found, style);
    } else {
        cell_signs signs;
        for (const kernel_group& group : groups_of(found.kernels)) add_group(page, group, found, signs);
        signs.explain(page);
    }
    add_source_findings(page, found);
    add_left_out(page, found);
    add_inputs(page, found);
    return page;
}

namespace {

void add_inputs(document& page, const inspection& found)
{
    if (found.inputs.size() == 1 && found.inputs.front().images.empty()) return;
    page.line("");
    for (const inspected_input& input : found.inputs) {
        std::vector<std::pair<std::string, std::string>> kinds;  // "cubin" and its architectures
        const bool linked = input.kind == "executable" || input.kind == "shared library";
        bool hidden = false;
        for (const binary_image& image : input.images) {
            if (linked && image.relocatable && image.kernels == 0) {
                hidden = true;
                continue;
            }
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
        if (hidden) text += "; images from before linking are not shown (--before-linking)";
        page.line(std::move(text), tone::faint);
    }
}

bool are_many(const std::vector<inspected_kernel>& kernels)
{
    std::unordered_set<std::string_view> names;
    for (const inspected_kernel& kernel : kernels)
        if (names.insert(kernel.info.name); names.size() >= many_kernels) return true;
    return false;
}

std::vector<kernel_group> groups_of(const std::vector<inspected_kernel>& kernels)
{
    std::vector<kernel_group> groups;
    std::unordered_map<std::string, std::size_t> group_of;
    for (const inspected_kernel& kernel : kernels) {
        // Compiled one by one, a launch box's kernel has another symbol for each architecture.
        const bool is_own = launch_box_name(kernel.demangled).has_value();
        const std::string key =
            kernel.info.source.file + '\0' + (is_own ? without_unit(kernel.demangled) : kernel.info.name);
        const auto [place, is_new] = group_of.try_emplace(key, groups.size());
        if (is_new) groups.emplace_back();
        groups[place->second].push_back(&kernel);
    }
    return groups;
}

// The last cell: what limits and what to do, or why nothing can be said.
cell verdict_of(const inspected_kernel& kernel, const std::optional<occupancy_account>& account)
{
    if (account) {
        if (!account->obstacle.empty()) return {"cannot launch: " + account->obstacle, tone::bad};
        return limiter_names(account->result) + (account->next ? "; " + account->next->text : "");
    }
    const kernel_info& info = kernel.info;
    if (is_ptx(info)) return "PTX: registers are decided when it is compiled";
    if (!info.registers) return "the report of this kernel is incomplete";
    const std::optional<compute_capability> known = parse_compute_capability(info.architecture);
    return known && find_sm_limits(*known) != nullptr ? "give --threads" : "no limits known for this architecture";
}

std::vector<cell> row_of(const inspected_kernel& kernel, const std::optional<occupancy_account>& account)
{
    const kernel_info& info = kernel.info;
    std::optional<std::int64_t> constants;
    for (const constant_bank& bank : info.constant_banks) constants = constants.value_or(0) + bank.bytes;
    std::vector<cell> row{architecture_label(info),
                          known_or_sign(info.registers, info),
                          spills_cell(info),
                          known_or_sign(info.stack_frame_bytes, info),
                          known_or_sign(info.static_shared_bytes, info),
                          known_or_sign(constants, info),
                          known_or_sign(info.barriers, info),
                          bounds_text(info)};
    if (account) {
        row.emplace_back(fmt::format("{}x{}", account->result.resident_blocks, account->question.shape.threads));
        row.emplace_back(percent(account->result.occupancy()));
    } else {
        row.emplace_back(known_or_sign(std::optional<int>(), info));
        row.emplace_back(known_or_sign(std::optional<int>(), info));
    }
    row.push_back(verdict_of(kernel, account));
    return row;
}

// A file can hold the same kernel for the same architecture several times. Copies with the same figures are one row.
struct row_with_copies {
    std::vector<cell> cells;
    const inspected_kernel* kernel = nullptr;
    std::size_t copies = 1;

    [[nodiscard]] bool same_as(const row_with_copies& other) const
    {
        return kernel->info.code_hash == other.kernel->info.code_hash &&
               std::equal(cells.begin(), cells.end(), other.cells.begin(), other.cells.end(),
                          [](const cell& a, const cell& b) { return a.text == b.text; });
    }
};

// "setmaxnreg (sm_90a)", and the toolkits where they differ.
void add_made_by(document& page, const kernel_group& group)
{
    const auto listed = [&](const char* beginning, std::size_t least, const auto& words_of) {
        std::vector<std::pair<std::string, std::string>> found;  // a word, and the architectures
        for (const inspected_kernel* kernel : group)
            for (const auto& each : words_of(kernel->info)) {
                const std::string word(each);
                const std::string label = architecture_label(kernel->info);
                auto place = std::find_if(found.begin(), found.end(), [&](const auto& e) { return e.first == word; });
                if (place == found.end())
                    found.emplace_back(word, label);
                else if ((", " + place->second + ",").find(", " + label + ",") == std::string::npos)
                    place->second += ", " + label;
            }
        if (found.size() < least) return;
        std::string text;
        for (const auto& [word, labels] : found)
            text += fmt::format("{}{} ({})", text.empty() ? beginning : ", ", word, labels);
        page.line("  " + text, tone::faint);
    };
    // Nearly every kernel shuffles or votes.
    const auto notable = [](const kernel_info& info) {
        std::vector<std::string_view> names = info.features.names();
        std::erase(names, "warp_synchronisation");
        return names;
    };
    listed("uses ", 1, notable);
    listed("compiled by CUDA ", 2, [](const kernel_info& info) {
        return info.toolkit_version ? std::vector{toolkit_name(*info.toolkit_version)} : std::vector<std::string>{};
    });
}

// `where`: the architectures or the line, in brackets.
void add_finding(document& page, const diagnosis& finding, const std::string& where)
{
    const tone look = finding.level == severity::problem   ? tone::bad
                      : finding.level == severity::warning ? tone::warning
                                                           : tone::plain;
    page.line(fmt::format("  {}{}: {}", finding.id, escape_for_terminal(where), escape_for_terminal(finding.message)),
              look);
    page.line("    → " + finding.fix);
}

void add_findings(document& page, const kernel_group& group, const std::vector<std::vector<diagnosis>>& diagnoses)
{
    // The same finding for several architectures is one line.
    std::vector<std::pair<const diagnosis*, std::vector<std::string>>> findings;
    for (std::size_t i = 0; i < group.size(); ++i)
        for (const diagnosis& each : diagnoses[i]) {
            auto same = std::find_if(findings.begin(), findings.end(), [&](const auto& other) {
                return other.first->message == each.message && other.first->fix == each.fix;
            });
            if (same == findings.end()) same = findings.insert(same, {&each, {}});
            const std::string& architecture = group[i]->info.architecture;
            if (std::find(same->second.begin(), same->second.end(), architecture) == same->second.end())
                same->second.push_back(architecture);
        }
    for (const auto& [each, architectures] : findings)
        add_finding(page, *each, fmt::format(" ({})", fmt::join(architectures, ", ")));
}

void add_source_findings(document& page, const inspection& found)
{
    bool first = true;
    for (const inspected_input& input : found.inputs)
        for (const diagnosis& each : input.diagnoses) {
            if (std::exchange(first, false) && !page.blocks.empty()) page.line("");
            add_finding(page, each, each.place ? fmt::format(" ({}:{})", each.place->file, each.place->line) : "");
        }
}

void add_group(document& page, const kernel_group& group, const inspection& found, cell_signs& signs)
{
    const inspected_kernel& first = *group.front();
    std::string title = escape_for_terminal(first.short_form);
    if (found.inputs.size() > 1) title += "  (" + escape_for_terminal(first.info.source.file) + ")";
    page.heading(title);
    table rows{{{"arch"},
                {"regs", true},
                {"spills", true},
                {"stack", true},
                {"shared", true},
                {"const", true},
                {"bar", true},
                {"bounds"},
                {"resident", true},
                {"occ.", true},
                {"limited by; next step"}},
               {}};
    std::vector<row_with_copies> distinct;
    std::vector<std::vector<diagnosis>> diagnoses;
    for (const inspected_kernel* kernel : group) {
        kernel_account account = account_of(*kernel, found.threads);
        diagnoses.push_back(std::move(account.diagnoses));
        row_with_copies row{row_of(*kernel, account.occupancy), kernel};
        const auto same =
            std::find_if(distinct.begin(), distinct.end(), [&](const auto& other) { return row.same_as(other); });
        if (same == distinct.end())
            distinct.push_back(std::move(row));
        else
            ++same->copies;
    }
    for (row_with_copies& row : distinct) {
        if (row.copies > 1) row.cells.front().text += fmt::format("×{}", row.copies);
        rows.rows.push_back(std::move(row.cells));
    }
    signs.note(rows);
    page.add(std::move(rows));
    // Rows that only their place tells apart.
    for (const row_with_copies& row : distinct) {
        const auto label = architecture_label(row.kernel->info);
        const auto namesakes = std::count_if(distinct.begin(), distinct.end(), [&](const auto& other) {
            return architecture_label(other.kernel->info) == label;
        });
        const kernel_source& source = row.kernel->info.source;
        if (namesakes > 1)
            page.line("  " + label + ": " + escape_for_terminal(source.container) +
                          (source.entry.empty() ? "" : ", " + escape_for_terminal(source.entry)),
                      tone::faint);
    }
    add_made_by(page, group);
    add_findings(page, group, diagnoses);
}

void add_left_out(document& page, const inspection& found)
{
    const auto number = [](std::size_t count) { return with_commas(static_cast<std::int64_t>(count)); };
    if (found.wish.spilling && found.kernels.empty()) page.line("No kernel is known to spill.");
    const bool unknown = found.wish.spilling && found.selection.spills_unknown > 0;
    if (!found.kernels.empty() && (found.selection.not_shown > 0 || unknown)) page.line("");
    if (found.selection.not_shown > 0)
        page.line(fmt::format("  {} more are not shown: --top {}", number(found.selection.not_shown),
                              found.wish.top.value_or(0)));
    if (unknown)
        page.line(fmt::format("  Of {} more the input does not tell whether they spill.",
                              number(found.selection.spills_unknown)),
                  tone::warning);
}

}  // namespace

}  // namespace launchbox
