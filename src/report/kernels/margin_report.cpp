// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/lines_report.hpp"

namespace launchbox {

namespace {

constexpr int context = 2;      // lines shown around one with figures
constexpr int tab_columns = 8;  // of the source text
constexpr int widest_text = 500;

struct margin_column {
    const char* title;
    std::int64_t (*value)(const line_use&);
    bool adds_up = true;  // costs of inlined functions add to the line's own
};
constexpr std::array<margin_column, 8> margin_columns{
    {{"live", [](const line_use& use) { return std::int64_t{use.live_registers}; }, false},
     {"instr.", [](const line_use& use) { return std::int64_t{use.instructions}; }},
     {"rd", [](const line_use& use) { return std::int64_t{use.reads}; }},
     {"wr", [](const line_use& use) { return std::int64_t{use.writes}; }},
     {"stored", [](const line_use& use) { return use.spill_store_bytes; }},
     {"loaded", [](const line_use& use) { return use.spill_load_bytes; }},
     {"st.shared", [](const line_use& use) { return use.shared_spill_store_bytes; }},
     {"ld.shared", [](const line_use& use) { return use.shared_spill_load_bytes; }}}};

std::string with_spaces(std::string_view text);
void add_file(document& page, const std::map<int, margin_cost>& lines, const margin_source* source,
              const output_style& style);

}  // namespace

document margin_document(const inspection& found, const line_names& names, const std::vector<margin_source>& sources,
                         const output_style& style)
{
    document page;
    for (std::size_t i = 0; i < std::min(found.kernels.size(), found.page_rows); ++i) {
        const inspected_kernel& kernel = found.kernels[i];
        std::string title = escape_for_terminal(kernel.info.short_form) + "  " + architecture_label(kernel.info);
        if (kernel.info.figures.registers) title += fmt::format("  {} registers", *kernel.info.figures.registers);
        if (kernel.info.analysis.pressure && kernel.info.analysis.pressure->problem.empty())
            title += fmt::format(", at most {} live", kernel.info.analysis.pressure->peak);
        page.heading(title);
        if (const std::string why = why_no_lines(kernel.info); !why.empty()) {
            page.line("  " + why, tone::warning);
            continue;
        }
        if (kernel.info.analysis.lines->uses.empty()) page.line("  it has no code");
        for (const auto& [file, lines] : margins_of(*kernel.info.analysis.lines)) {
            const auto source = std::ranges::find(sources, file, &margin_source::file);
            page.line("");
            page.line("  " + file_text(file, names) +
                          (source == sources.end() || source->remark.empty() ? "" : ": " + source->remark),
                      tone::strong);
            add_file(page, lines, source == sources.end() ? nullptr : &*source, style);
        }
    }
    if (!found.kernels.empty()) {
        page.line("");
        page.line(
            "  live: registers that hold needed values; instr.: instructions; reads, writes: those of them that load "
            "or "
            "store global or shared memory; stored, loaded: bytes of spills a thread, st.shared, ld.shared: those to "
            "shared memory; +: more in functions inlined there",
            tone::faint);
    }
    add_not_shown(page, found, found.kernels.size() - std::min(found.kernels.size(), found.page_rows));
    return page;
}

namespace {

// A tab becomes spaces up to the next multiple of eight columns; any other control character becomes \xNN.
std::string with_spaces(std::string_view text)
{
    std::string spaced;
    for (const char c : text.substr(0, widest_text))
        if (c == '\t')
            spaced.append(static_cast<std::size_t>(tab_columns) - spaced.size() % tab_columns, ' ');
        else if (c != '\r')
            spaced += c;
    return escape_for_terminal(spaced);
}

// "1,028+" if functions inlined on the line cost more than that; "+340" if they cost all of it.
std::string margin_cell(const margin_cost& cost, const margin_column& column)
{
    const std::int64_t own = column.value(cost.own);
    const std::int64_t inlined = column.adds_up ? column.value(cost.with_inlined) - own : 0;
    if (own == 0 && inlined == 0) return {};
    return (own > 0 ? with_commas(own) : "") + (inlined > 0 ? "+" + with_commas(inlined) : "");
}

void add_file(document& page, const std::map<int, margin_cost>& lines, const margin_source* source,
              const output_style& style)
{
    const bool has_text = source != nullptr && !source->text.empty();
    std::vector<std::string> titles;
    std::array<int, margin_columns.size()> widths{};
    for (std::size_t c = 0; c < margin_columns.size(); ++c) {
        for (const auto& [line, cost] : lines)
            widths[c] = std::max(widths[c], display_width(margin_cell(cost, margin_columns[c])));
        if (widths[c] > 0) widths[c] = std::max(widths[c], display_width(margin_columns[c].title));
    }
    const auto row = [&](const std::string& number, const margin_cost* cost, const std::string& text, tone look) {
        std::string out = fmt::format("  {:>6}", number);
        for (std::size_t c = 0; c < margin_columns.size(); ++c) {
            if (widths[c] == 0) continue;
            const std::string shown = cost == nullptr ? "" : margin_cell(*cost, margin_columns[c]);
            out += std::string(static_cast<std::size_t>(2 + widths[c] - display_width(shown)), ' ') + shown;
        }
        if (has_text) {
            out += "  │ ";
            out += shortened(text, std::max(20, style.width - display_width(out)));
        }
        while (out.ends_with(' ')) out.pop_back();
        page.line(out, look);
    };
    std::string head = fmt::format("  {:>6}", "line");
    for (std::size_t c = 0; c < margin_columns.size(); ++c)
        if (widths[c] > 0) head += fmt::format("  {:>{}}", margin_columns[c].title, widths[c]);
    page.line(head, tone::faint);

    int shown_to = 0;
    for (auto next = lines.begin(); next != lines.end(); ++next) {
        const int number = next->first;
        const auto source_line_text = [&](int line) {
            return has_text && line >= 1 && static_cast<std::size_t>(line) <= source->text.size()
                       ? with_spaces(source->text[static_cast<std::size_t>(line - 1)])
                       : std::string();
        };
        if (has_text) {
            const int from = std::max(shown_to + 1, number - context);
            if (shown_to > 0 && from > shown_to + 1) page.line("       …", tone::faint);
            for (int line = from; line < number; ++line)
                row(std::to_string(line), nullptr, source_line_text(line), tone::plain);
        }
        const bool spills = next->second.own.spill_bytes() > 0;
        row(std::to_string(number), &next->second, source_line_text(number), spills ? tone::warning : tone::plain);
        shown_to = number;
        if (!has_text) continue;
        const auto after = std::next(next);
        int last = std::min(number + context, static_cast<int>(source->text.size()));
        if (after != lines.end()) last = std::min(last, after->first - 1);
        for (int line = number + 1; line <= last; ++line) {
            row(std::to_string(line), nullptr, source_line_text(line), tone::plain);
            shown_to = line;
        }
    }
}

}  // namespace

}  // namespace launchbox
