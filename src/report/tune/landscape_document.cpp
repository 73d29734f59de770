// Maps of results for people: grids that fit a terminal, and the table of the best candidates.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/tune/landscape_report.hpp"
#include "report/tune/run_cells.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

constexpr int widest_name = 20;
constexpr std::size_t max_runs_listed = 8, max_verdicts = 12;

// A grid before it is cut to the width.
struct grid {
    std::string corner;
    std::vector<std::string> columns, rows;
    std::vector<std::vector<cell>> cells;  // by row
    std::vector<int> widths;               // of columns
    int first = 0;                         // width of the row names

    // How many columns fit from `start` on.
    [[nodiscard]] std::size_t fitting(std::size_t start, int width) const
    {
        int taken = table_indent + first;
        std::size_t count = 0;
        while (start + count < columns.size()) {
            taken += column_gap + widths[start + count];
            if (taken > width && count > 0) break;
            ++count;
        }
        return count;
    }
};

grid grid_of(const landscape_report& report, const landscape_map& map, const std::vector<landscape_cell_text>& texts,
             bool transposed)
{
    const std::size_t x = transposed ? 1 : 0, y = 1 - x;
    grid made{.corner = shortened(escape_for_terminal(report.drawn.axes[y].name), widest_name),
              .columns = axis_names(map, x),
              .rows = axis_names(map, y),
              .cells = {},
              .widths = {}};
    for (std::vector<std::string>* names : {&made.columns, &made.rows})
        for (std::string& name : *names) name = shortened(name, widest_name);
    made.cells.assign(made.rows.size(), std::vector<cell>(made.columns.size(), cell("–", tone::faint)));
    std::vector<std::size_t> signs(made.columns.size(), 0);
    for (std::size_t i = 0; i < map.cells.size(); ++i)
        if (!texts[i].value.empty())
            signs[map.cells[i].at[x]] = std::max(signs[map.cells[i].at[x]], texts[i].sign.size());
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const landscape_cell& from = map.cells[i];
        const landscape_cell_text& text = texts[i];
        cell& into = made.cells[from.at[y]][from.at[x]];
        // Digits are aligned, with signs after them.
        const std::string room(signs[from.at[x]] - (text.value.empty() ? 0 : text.sign.size()), ' ');
        if (text.value.empty())
            into = {text.sign + room, tone::faint};
        else
            into = {text.value + text.sign + room, text.sign.starts_with('*') ? tone::good : tone::plain};
    }
    for (std::vector<cell>& row : made.cells)
        for (std::size_t c = 0; c < row.size(); ++c)
            if (row[c].text == "–") row[c].text += std::string(signs[c], ' ');
    for (std::size_t c = 0; c < made.columns.size(); ++c) {
        made.columns[c] += std::string(signs[c], ' ');
        int width = display_width(made.columns[c]);
        for (const std::vector<cell>& row : made.cells) width = std::max(width, display_width(row[c].text));
        made.widths.push_back(width);
    }
    made.first = display_width(made.corner);
    for (const std::string& name : made.rows) made.first = std::max(made.first, display_width(name));
    return made;
}

void add_grid(const grid& made, int width, document& page)
{
    for (std::size_t start = 0; start < made.columns.size();) {
        const std::size_t count = made.fitting(start, width);
        table part{{{made.corner, true}}, {}};
        for (std::size_t c = start; c < start + count; ++c) part.columns.push_back({made.columns[c], true});
        for (std::size_t r = 0; r < made.rows.size(); ++r) {
            std::vector<cell> row{made.rows[r]};
            row.insert(row.end(), made.cells[r].begin() + static_cast<std::ptrdiff_t>(start),
                       made.cells[r].begin() + static_cast<std::ptrdiff_t>(start + count));
            part.rows.push_back(std::move(row));
        }
        if (start > 0) page.line("");
        page.add(std::move(part));
        start += count;
    }
}

void add_runs(const landscape_report& report, document& page)
{
    const std::vector<shown_run>& runs = report.found.runs;
    for (std::size_t i = 0; i < std::min(runs.size(), max_runs_listed); ++i) {
        page.heading(run_title(runs[i].run.info));
        page.line("  " + run_line(runs[i]), tone::faint);
    }
    if (runs.size() > max_runs_listed)
        page.line(fmt::format("  and {} more", counted(runs.size() - max_runs_listed, "run", "runs")), tone::faint);
}

std::string unit_title(const std::optional<landscape_unit>& unit)
{
    return !unit ? "?" : unit->what == landscape_unit::kind::share ? "% of best" : name_of(*unit);
}

assignment without(const assignment& values, const std::vector<landscape_field>& fields)
{
    assignment left;
    for (const auto& value : values.values)
        if (std::ranges::none_of(fields, [&](const landscape_field& field) {
                return field.of == landscape_field::kind::parameter && field.name == value.first;
            }))
            left.values.push_back(value);
    return left;
}

std::string spread_text(const landscape_candidate& candidate)
{
    return fmt::format("{:.1f}", (candidate.time ? *candidate.time : candidate.relative).spread() * 100);
}

std::string section_note(const landscape_section& section)
{
    if (section.noise) return "no winner: " + noise_text(*section.noise);
    if (section.winner) return {};
    return section.candidates.empty() ? "nothing was measured on all workloads" : "no winner: none was verified";
}

}  // namespace

table values_table(const landscape_report& report, const landscape_map& map)
{
    const landscape_field& axis = report.drawn.axes.front();
    const std::vector<landscape_cell_text> texts = cell_texts(report, map);
    const std::vector<std::string> names = axis_names(map, 0);
    const std::optional<landscape_unit> unit = unit_of(report, map);
    const bool share = unit && unit->what != landscape_unit::kind::share;
    table rows{{{escape_for_terminal(axis.name), true}, {unit_title(unit), true}, {"± %", true}}, {}};
    if (share) rows.columns.push_back({"% of best", true});
    rows.columns.push_back({"candidates", true});
    rows.columns.push_back({"the fastest; note"});
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const landscape_cell& from = map.cells[i];
        const landscape_section& section = map.sections[from.section];
        std::vector<cell> row{names[from.at[0]]};
        if (!from.best) {
            row.emplace_back("–");
            row.emplace_back("–");
            if (share) row.emplace_back("–");
            row.emplace_back(count_text(from.candidates));
            row.emplace_back(texts[i].note, tone::faint);
            rows.rows.push_back(std::move(row));
            continue;
        }
        const landscape_candidate& best = section.candidates[*from.best];
        row.emplace_back(texts[i].value.empty() ? "?" : texts[i].value);
        row.emplace_back(spread_text(best));
        if (share) row.emplace_back(fmt::format("{:.1f}", best.share() * 100));
        row.emplace_back(count_text(from.candidates));
        std::string note = names_of(without(best.parameters, report.drawn.axes));
        if (best.is_winner) note += note.empty() ? "the best" : "; the best";
        const std::string others = best.is_winner ? texts[i].sign.substr(1) : texts[i].sign;
        if (!others.empty()) note += (note.empty() ? "" : " ") + others;
        row.emplace_back(note, best.is_winner ? tone::good : tone::plain);
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

table best_table(const landscape_report& report)
{
    const landscape& drawn = report.drawn;
    table rows;
    for (const landscape_field& field : drawn.by)
        rows.columns.push_back({escape_for_terminal(field.name), field.of != landscape_field::kind::record});
    // If a line is a mean over several workloads, it says over how many.
    const bool means = !std::ranges::all_of(drawn.maps, &landscape_map::has_times);
    if (means) rows.columns.push_back({"workloads", true});
    const bool times = std::ranges::any_of(drawn.maps, &landscape_map::has_times);
    if (times) rows.columns.push_back({"ms", true});
    std::vector<const work_kind*> rates;
    for (const work_kind& kind : work_kinds)
        if (std::ranges::any_of(drawn.maps, [&](const landscape_map& map) { return map.has_rates(kind); })) {
            rates.push_back(&kind);
            rows.columns.push_back({kind.unit, true});
        }
    for (const char* title : {"± %", "next"}) rows.columns.push_back({title, true});
    if (drawn.everywhere) rows.columns.push_back({"one for all", true});
    rows.columns.push_back({"the best"});
    for (std::size_t m = 0; m < drawn.maps.size(); ++m) {
        const landscape_map& map = drawn.maps[m];
        std::vector<cell> row;
        for (const landscape_field& field : drawn.by) {
            const parameter_value* value = map.by.find(field.name);
            const auto* integer = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
            row.emplace_back(value == nullptr     ? "–"
                             : integer != nullptr ? with_commas(*integer)
                                                  : escape_for_terminal(parameter_text(*value)));
        }
        const landscape_section empty, &section = map.sections.empty() ? empty : map.sections.front();
        const landscape_candidate* best = section.winner ? &section.candidates[*section.winner] : nullptr;
        if (means) row.emplace_back(count_text(section.rankings.size()));
        if (times)
            row.emplace_back(best != nullptr && best->time ? milliseconds(best->time->median, best->time->median)
                                                           : "–");
        for (const work_kind* kind : rates) {
            const std::optional<double> rate = best != nullptr ? best->rates.*kind->amount : std::nullopt;
            row.emplace_back(rate ? rate_text(*kind, *rate, *rate) : "–");
        }
        row.emplace_back(best != nullptr ? spread_text(*best) : "–");
        std::string next = "–";
        if (best != nullptr && section.next && best->relative.median > 0) {
            const landscape_candidate& second = section.candidates[*section.next];
            next = fmt::format("{:+.1f} %", (second.relative.median / best->relative.median - 1) * 100);
            if (!differs(second.relative, best->relative)) next += "=";
        }
        row.emplace_back(std::move(next));
        if (drawn.everywhere) {
            const double loss = drawn.everywhere->losses[m];
            const bool is_shown = std::abs(loss) >= 0.0005;  // as the table rounds it
            row.emplace_back(is_shown ? fmt::format("{:+.1f} %", loss * 100) : "–");
        }
        if (best != nullptr)
            row.emplace_back(names_of(without(best->parameters, drawn.by)), tone::good);
        else
            row.emplace_back(section_note(section), tone::warning);
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

namespace {

void add_best(const landscape_report& report, document& page)
{
    std::string by;
    for (const landscape_field& field : report.drawn.by)
        by += (by.empty() ? "" : ", ") + escape_for_terminal(field.name);
    page.heading(by.empty() ? "The best" : "The best by " + by);
    page.add(best_table(report));
    page.line("  next: how much longer the next candidate with other code takes; =: the samples do not separate them",
              tone::faint);
    std::size_t incomplete = 0;
    for (const landscape_map& map : report.drawn.maps)
        for (const landscape_section& section : map.sections) incomplete += section.incomplete;
    if (incomplete > 0)
        page.line(fmt::format("  Left out: {} not measured completely on all workloads of a line.",
                              counted(incomplete, "candidate", "candidates")),
                  tone::faint);
    if (report.drawn.everywhere) {
        page.line("  one for all: how much longer the best single candidate takes", tone::faint);
        page.line("  " + everywhere_text(report), tone::good);
    } else if (report.drawn.maps.size() > 1) {
        page.line("  No single candidate was measured completely in every line.", tone::faint);
    }
}

}  // namespace

document landscape_document(const landscape_report& report, const output_style& style)
{
    check_size(report);
    document page;
    add_runs(report, page);
    if (report.drawn.maps.empty()) page.line("  No results.");
    if (report.drawn.axes.empty()) {
        add_best(report, page);
        add_diagnostics(report.found.diagnostics, page);
        return page;
    }
    std::vector<std::vector<landscape_cell_text>> all;
    for (const landscape_map& map : report.drawn.maps) {
        const std::string title = map_title(report, map);
        page.heading(title.empty()
                         ? "over " + std::string(report.drawn.axes.size() == 2 ? "both parameters" : "the parameter")
                         : title);
        if (map.cells.empty()) {
            page.line("  No result has a value for each axis.", tone::warning);
        } else if (report.drawn.axes.size() == 1) {
            page.line("  " + map_text(report, map, false), tone::faint);
            page.add(values_table(report, map));
            all.push_back(cell_texts(report, map));
            for (landscape_cell_text& text : all.back()) {
                std::erase(text.sign, '*');  // in words
                if (text.value.empty()) text.sign.clear();
            }
        } else {
            all.push_back(cell_texts(report, map));
            grid made = grid_of(report, map, all.back(), false);
            bool transposed = false;
            if (made.fitting(0, style.width) < made.columns.size()) {
                grid other = grid_of(report, map, all.back(), true);
                transposed = other.fitting(0, style.width) == other.columns.size();
                if (transposed) made = std::move(other);
            }
            page.line("  " + map_text(report, map, transposed), tone::faint);
            add_grid(made, style.width, page);
        }
        std::vector<std::string> verdicts = map_verdicts(report, map);
        const std::size_t shown = std::min(verdicts.size(), max_verdicts);
        for (std::size_t i = 0; i < shown; ++i) page.line("  " + verdicts[i], tone::good);
        if (verdicts.size() > shown)
            page.line(fmt::format("  and {} more: --format json", count_text(verdicts.size() - shown)), tone::faint);
    }
    std::vector<std::string> legend = sign_legend(all);
    if (report.drawn.axes.size() == 2) legend.insert(legend.begin(), "–  not tried");
    if (!legend.empty()) page.line("");
    for (const std::string& line : legend) page.line("  " + line, tone::faint);
    add_diagnostics(report.found.diagnostics, page);
    return page;
}

}  // namespace launchbox
