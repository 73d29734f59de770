// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/kernel_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "image/names/launch_box_name.hpp"
#include "report/core/short_names.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/occupancy/calculator_state.hpp"

namespace launchbox {

namespace {

struct described_kernel {
    const inspected_kernel* kernel = nullptr;
    const kernel_account* account = nullptr;
};
using kernel_group = std::vector<described_kernel>;

// Groups by kernel and input, with the architectures in the order in which they were found.
std::vector<kernel_group> groups_of(const std::vector<inspected_kernel>& kernels,
                                    const std::vector<kernel_account>& accounts);

void add_group(document& page, const kernel_group& group, std::string title, bool several_inputs, table_place place,
               cell_signs& signs);

}  // namespace

void add_kernel_tables(document& page, const inspection& found, const std::vector<kernel_account>& accounts,
                       table_place place)
{
    cell_signs signs;
    const std::vector<kernel_group> groups = groups_of(found.kernels, accounts);
    std::vector<std::string> titles;
    for (const kernel_group& group : groups)
        titles.push_back(escape_for_terminal(group.front().kernel->info.short_form));
    titles = shortened_apart(titles, widest_title);
    for (std::size_t i = 0; i < groups.size(); ++i)
        add_group(page, groups[i], titles[i], found.inputs.size() > 1, place, signs);
    signs.explain(page);
}

void add_finding(document& page, const diagnosis& finding, const std::string& where)
{
    const tone look = finding.level == severity::error     ? tone::bad
                      : finding.level == severity::warning ? tone::warning
                                                           : tone::plain;
    page.line(fmt::format("  {}{}: {}", finding.id, escape_for_terminal(where), escape_for_terminal(finding.message)),
              look);
    page.line("    → " + finding.fix);
}

namespace {

std::vector<kernel_group> groups_of(const std::vector<inspected_kernel>& kernels,
                                    const std::vector<kernel_account>& accounts)
{
    std::vector<kernel_group> groups;
    std::unordered_map<std::string, std::size_t> group_of;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const inspected_kernel& kernel = kernels[i];
        // When compiled separately, a launch box's kernel has a different symbol for each architecture.
        const bool is_own = launch_box_name(kernel.info.demangled).has_value();
        const std::string key =
            kernel.info.source.file + '\0' + (is_own ? without_unit(kernel.info.demangled) : kernel.info.name);
        const auto [place, is_new] = group_of.try_emplace(key, groups.size());
        if (is_new) groups.emplace_back();
        groups[place->second].push_back({&kernel, &accounts[i]});
    }
    return groups;
}

// The last cell: what limits occupancy and what to do, or why it is unknown.
cell verdict_of(const kernel_info& info, const std::optional<occupancy_account>& account)
{
    if (account) {
        if (!account->obstacle.empty()) return {"cannot launch: " + account->obstacle, tone::bad};
        if (!account->question.dynamic_shared_known)
            return "? (dynamic shared memory of unknown size: --dynamic-shared)";
        if (!account->question.shared_known) return "? (static shared memory is not known)";
        return limiter_names(account->result) + (account->next ? "; " + account->next->text : "");
    }
    if (is_ptx(info)) return "PTX: registers are known only after it is compiled";
    if (!info.figures.registers) return "the report of this kernel is incomplete";
    return limits_where_run(info) != nullptr ? "give --threads" : "no limits known for this architecture";
}

std::vector<cell> row_of(const kernel_info& info, const std::optional<occupancy_account>& account)
{
    std::optional<std::int64_t> constants;
    for (const constant_bank& bank : info.figures.constant_banks) constants = constants.value_or(0) + bank.bytes;
    std::vector<cell> row{architecture_label(info),
                          known_or_sign(info.figures.registers, info),
                          spills_cell(info),
                          stack_text(info),
                          shared_text(info),
                          known_or_sign(constants, info),
                          known_or_sign(info.figures.barriers, info),
                          bounds_text(info)};
    if (account) {
        const bool at_most = account->question.at_most();
        row.emplace_back(resident_text(account->result.resident_blocks, account->question.shape.threads, at_most));
        row.emplace_back(occupancy_text(account->result.occupancy(), at_most));
    } else {
        row.emplace_back(known_or_sign(std::optional<int>(), info));
        row.emplace_back(known_or_sign(std::optional<int>(), info));
    }
    row.push_back(verdict_of(info, account));
    return row;
}

// A file may contain the same kernel for the same architecture several times. Copies with equal figures share a row.
struct row_with_copies {
    std::vector<cell> cells;
    const kernel_info* info = nullptr;
    std::size_t copies = 1;

    [[nodiscard]] bool same_as(const row_with_copies& other) const
    {
        return info->figures.code_hash == other.info->figures.code_hash &&
               std::equal(cells.begin(), cells.end(), other.cells.begin(), other.cells.end(),
                          [](const cell& a, const cell& b) { return a.text == b.text; });
    }
};

// "setmaxnreg (sm_90a)", and the toolkits if they differ.
void add_made_by(document& page, const kernel_group& group)
{
    const auto listed = [&](const char* beginning, std::size_t min_words, const auto& words_of) {
        std::vector<std::pair<std::string, std::string>> found;  // a word and its architectures
        for (const described_kernel& member : group)
            for (const auto& text : words_of(member.kernel->info)) {
                const std::string word(text);
                const std::string label = architecture_label(member.kernel->info);
                auto place =
                    std::find_if(found.begin(), found.end(), [&](const auto& entry) { return entry.first == word; });
                if (place == found.end())
                    found.emplace_back(word, label);
                else if ((", " + place->second + ",").find(", " + label + ",") == std::string::npos)
                    place->second += ", " + label;
            }
        if (found.size() < min_words) return;
        std::string text;
        for (const auto& [word, labels] : found)
            text += fmt::format("{}{} ({})", text.empty() ? beginning : ", ", word, labels);
        page.line("  " + text, tone::faint);
    };
    // Nearly every kernel shuffles or votes.
    const auto notable = [](const kernel_info& info) {
        std::vector<std::string_view> names = info.analysis.features.names();
        std::erase(names, "warp_synchronisation");
        return names;
    };
    listed("uses ", 1, notable);
    listed("compiled by CUDA ", 2, [](const kernel_info& info) {
        return info.toolkit_version ? std::vector{toolkit_name(*info.toolkit_version)} : std::vector<std::string>{};
    });
}

void add_findings(document& page, const kernel_group& group)
{
    // A finding for several architectures takes one line.
    std::vector<std::pair<const diagnosis*, std::vector<std::string>>> findings;
    for (const described_kernel& member : group)
        for (const diagnosis& finding : member.account->diagnoses) {
            auto same = std::find_if(findings.begin(), findings.end(), [&](const auto& other) {
                return other.first->message == finding.message && other.first->fix == finding.fix;
            });
            if (same == findings.end()) same = findings.insert(same, {&finding, {}});
            const std::string architecture =
                member.kernel->info.architecture.empty() ? "?" : architecture_where_run(member.kernel->info);
            if (std::find(same->second.begin(), same->second.end(), architecture) == same->second.end())
                same->second.push_back(architecture);
        }
    for (const auto& [finding, architectures] : findings)
        add_finding(page, *finding, fmt::format(" ({})", fmt::join(architectures, ", ")));
}

// Rows with equal cells and code become one row with the number of copies.
std::vector<row_with_copies> distinct_rows(const kernel_group& group, table_place place)
{
    std::vector<row_with_copies> distinct;
    for (const described_kernel& member : group) {
        row_with_copies row{row_of(member.kernel->info, member.account->occupancy), &member.kernel->info};
        if (place == table_place::in_page) row.cells.front().calculator = calculator_state(*member.kernel);
        const auto same =
            std::find_if(distinct.begin(), distinct.end(), [&](const auto& other) { return row.same_as(other); });
        if (same == distinct.end())
            distinct.push_back(std::move(row));
        else
            ++same->copies;
    }
    for (row_with_copies& row : distinct)
        if (row.copies > 1) row.cells.front().text += fmt::format("×{}", row.copies);
    return distinct;
}

// Where the kernels of otherwise indistinguishable rows were found.
void add_places(document& page, const std::vector<row_with_copies>& rows)
{
    for (const row_with_copies& row : rows) {
        const auto label = architecture_label(*row.info);
        const auto namesakes = std::count_if(
            rows.begin(), rows.end(), [&](const auto& other) { return architecture_label(*other.info) == label; });
        const kernel_source& source = row.info->source;
        if (namesakes > 1)
            page.line("  " + label + ": " + escape_for_terminal(source.container) +
                          (source.entry.empty() ? "" : ", " + escape_for_terminal(source.entry)),
                      tone::faint);
    }
}

void add_group(document& page, const kernel_group& group, std::string title, bool several_inputs, table_place place,
               cell_signs& signs)
{
    const inspected_kernel& first = *group.front().kernel;
    if (several_inputs) title += "  (" + escape_for_terminal(first.info.source.file) + ")";
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
    const std::vector<row_with_copies> distinct = distinct_rows(group, place);
    for (const row_with_copies& row : distinct) rows.rows.push_back(row.cells);
    signs.note(rows);
    page.add(std::move(rows));
    add_places(page, distinct);
    add_made_by(page, group);
    if (place == table_place::alone) add_findings(page, group);
}

}  // namespace

}  // namespace launchbox
