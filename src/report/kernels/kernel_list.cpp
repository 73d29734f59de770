// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/core/short_names.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/occupancy/calculator_state.hpp"

namespace launchbox {

namespace {

constexpr int below_indent = 6;     // of a last column that does not fit beside the others
constexpr int narrowest_name = 16;  // shorter names are useless
constexpr int widest_file_column = 24;

std::vector<cell> row_of(const inspected_kernel& kernel, bool with_file, table_place place);

// A column in which no row has a value takes room from the names.
void drop_empty_columns(table& rows);

std::string findings_line(const std::vector<finding_count>& findings);

}  // namespace

void add_kernel_list(document& page, const inspection& found, const std::vector<finding_count>& findings,
                     const output_style& style, table_place place)
{
    table rows{{{"arch"},
                {"regs", true},
                {"spills", true},
                {"stack", true},
                {"shared", true},
                {"bar", true},
                {"bounds"},
                {"resident", true},
                {"occ.", true},
                {"code", true}},
               {}};
    const bool several = found.inputs.size() > 1;
    if (several) rows.columns.push_back({"file"});
    std::vector<std::string> names;
    for (const inspected_kernel& kernel : found.kernels) {
        if (names.size() == found.page_rows) break;
        rows.rows.push_back(row_of(kernel, several, place));
        names.push_back(kernel.info.short_form);
    }
    drop_empty_columns(rows);
    cell_signs signs;
    signs.note(rows);
    add_names(rows, names, style);
    page.add(std::move(rows));
    if (!findings.empty() && place == table_place::alone) {
        page.line("");
        page.line(findings_line(findings));
    }
    const auto any = [&](const auto& condition) {
        return std::any_of(found.kernels.begin(), found.kernels.end(), condition);
    };
    if (any([](const auto& kernel) { return !kernel.residency && kernel.info.figures.registers; }))
        page.line("  resident: – if neither --threads nor a launch bound gives the threads of a block", tone::faint);
    if (any([](const auto& kernel) { return is_ptx(kernel.info); }))
        page.line("  compute_…: PTX, whose registers are known only after it is compiled", tone::faint);
    signs.explain(page);
}

void add_names(table& rows, const std::vector<std::string>& names, const output_style& style)
{
    int taken = table_indent;
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        int width = display_width(rows.columns[c].title);
        for (const auto& row : rows.rows) width = std::max(width, display_width(row[c].text));
        taken += width + column_gap;
    }
    const bool beside = style.width - taken >= narrowest_name;
    const int room = beside ? style.width - taken : style.width - below_indent;
    rows.columns.push_back({"kernel"});
    std::vector<std::string> shown;
    shown.reserve(names.size());
    for (const std::string& name : names) shown.push_back(escape_for_terminal(name));
    shown = shortened_apart(shown, room);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) rows.rows[i].push_back(name_cell(std::move(shown[i])));
}

namespace {

std::vector<cell> row_of(const inspected_kernel& kernel, bool with_file, table_place place)
{
    const kernel_info& info = kernel.info;
    std::vector<cell> row{
        architecture_label(info), known_or_sign(info.figures.registers, info), spills_cell(info), stack_text(info),
        shared_text(info),        known_or_sign(info.figures.barriers, info),  bounds_text(info)};
    if (place == table_place::in_page) row.front().calculator = calculator_state(kernel);
    if (const auto& residency = kernel.residency) {
        const tone look = residency->launches() ? tone::plain : tone::bad;
        row.emplace_back(resident_text(residency->result.resident_blocks, residency->threads, residency->at_most),
                         look);
        row.emplace_back(occupancy_text(residency->result.occupancy(), residency->at_most), look);
    } else {
        // Without a bound only the user knows the threads; the input is complete.
        row.emplace_back("–");
        row.emplace_back("–");
    }
    row.emplace_back(known_or_sign(info.figures.code_bytes, info));
    if (with_file) row.emplace_back(shortened(escape_for_terminal(info.source.file), widest_file_column));
    return row;
}

void drop_empty_columns(table& rows)
{
    for (std::size_t c = rows.columns.size(); c-- > 0;) {
        const bool told = std::any_of(rows.rows.begin(), rows.rows.end(),
                                      [&](const auto& row) { return row[c].text != "–" && row[c].text != "?"; });
        if (told) continue;
        const auto place = static_cast<std::ptrdiff_t>(c);
        rows.columns.erase(rows.columns.begin() + place);
        for (auto& row : rows.rows) row.erase(row.begin() + place);
    }
}

std::string findings_line(const std::vector<finding_count>& findings)
{
    std::string text;
    for (const finding_count& finding : findings)
        text += fmt::format("{}{} {}", text.empty() ? "  findings: " : ", ",
                            with_commas(static_cast<std::int64_t>(finding.kernels)), finding.id);
    if (!text.empty()) text += "; --kernel PATTERN shows those of one kernel, with fixes";
    return text;
}

}  // namespace

}  // namespace launchbox
