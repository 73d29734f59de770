// SPDX-License-Identifier: Apache-2.0
#include "report/tune/convergence_report.hpp"

#include <fmt/format.h>

#include "report/core/json_table.hpp"
#include "report/tune/run_cells.hpp"
#include "report/tune/run_json.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::string gap_text(double gap)
{
    return gap < 10 ? fmt::format("{:.1f}", gap * 100) : fmt::format("{:.0f}", gap * 100);
}

// "12 (3.4 s)"
std::string when_text(const improvement& when)
{
    return fmt::format("{} ({} s)", count_text(when.evaluation), seconds_text(when.seconds));
}

std::string title_of(const convergence& found, std::size_t workloads)
{
    return found.workload ? workload_name(*found.workload) : fmt::format("over all {} workloads", workloads);
}

// "ms", "cost", "score"
const char* title_of(convergence_kind kind)
{
    return kind == convergence_kind::time ? "ms" : kind == convergence_kind::cost ? "cost" : "score";
}

std::string value_text(convergence_kind kind, double value, double best)
{
    return kind == convergence_kind::time   ? milliseconds(value, best)
           : kind == convergence_kind::cost ? fmt::format("{:.4g}", value)
                                            : fmt::format("{:.3f}", value);
}

void add_improvements(const convergence& found, std::size_t top, document& page)
{
    std::vector<const assignment*> candidates;
    for (const improvement& improvement : found.improvements) candidates.push_back(&improvement.parameters);
    const parameter_columns columns = columns_of(candidates);
    table rows{{{"evaluation", true}, {"seconds", true}, {title_of(found.kind), true}, {"gap %", true}}, {}};
    add_columns(columns, rows);
    add_last_column(columns, "", rows);
    // The last ones matter most.
    const std::size_t count = found.improvements.size();
    const std::size_t hidden = count > top ? count - top : 0;
    for (std::size_t i = hidden; i < count; ++i) {
        const improvement& improvement = found.improvements[i];
        std::vector<cell> row{count_text(improvement.evaluation), seconds_text(improvement.seconds)};
        row.emplace_back(value_text(found.kind, improvement.value, found.improvements.back().value));
        row.emplace_back(gap_text(improvement.gap));
        add_cells(columns, improvement.parameters, row);
        if (!columns.in_last.empty()) add_last_cell(columns, improvement.parameters, {}, row);
        rows.rows.push_back(std::move(row));
    }
    page.add(std::move(rows));
    if (!columns.constant.empty()) page.line("  all: " + escape_for_terminal(columns.constant), tone::faint);
    if (hidden > 0) page.line(fmt::format("  {} before these: --top all", count_text(hidden)), tone::faint);
    std::string line;
    for (std::size_t part = 0; part < convergence_parts.size(); ++part)
        line += fmt::format("{}{:.0f} % after {}", line.empty() ? "  within " : ", ", convergence_parts[part] * 100,
                            when_text(found.improvements[found.reached[part]]));
    page.line(line + " of " + counted(found.evaluations, "evaluation", "evaluations") +
                  fmt::format(" ({} s)", seconds_text(found.seconds)),
              tone::good);
}

// Compares the runs side by side.
void add_summary(const std::vector<std::vector<convergence>>& all, const results_report& report, document& page)
{
    page.heading("all runs: evaluations (and seconds) until the final best was near");
    table rows{{{"evaluations", true}, {"best", true}}, {}};
    for (const double part : convergence_parts) rows.columns.push_back({fmt::format("{:.0f} %", part * 100), true});
    rows.columns.push_back({"run"});
    for (std::size_t run = 0; run < all.size(); ++run)
        for (const convergence& course : all[run]) {
            std::vector<cell> row{count_text(course.evaluations)};
            const bool some = !course.improvements.empty();
            const double best = some ? course.improvements.back().value : 0;
            const bool is_time = course.kind == convergence_kind::time;
            row.emplace_back(some ? value_text(course.kind, best, best) + (is_time ? " ms" : "") : "–");
            for (const std::size_t place : course.reached)
                row.emplace_back(some ? when_text(course.improvements[place]) : "–");
            const shown_run& shown = report.runs[run];
            row.emplace_back(run_title(shown.run.info) + ", " + title_of(course, shown.rankings.size()) +
                             fmt::format(", run {} of {}", shown.run.number, escape_for_terminal(shown.file)));
            rows.rows.push_back(std::move(row));
        }
    page.add(std::move(rows));
}

std::vector<std::vector<convergence>> converged(const results_report& found)
{
    std::vector<std::vector<convergence>> all;
    for (const shown_run& run : found.runs) all.push_back(converge(run.run.results, run.rankings));
    return all;
}

}  // namespace

document convergence_document(const results_report& found)
{
    document page;
    const std::vector<std::vector<convergence>> all = converged(found);
    std::size_t series = 0;
    for (std::size_t run = 0; run < all.size(); ++run) {
        const shown_run& shown = found.runs[run];
        page.heading(run_title(shown.run.info));
        page.line("  " + run_line(shown), tone::faint);
        if (all[run].empty()) page.line("  No results.");
        for (const convergence& course : all[run]) {
            ++series;
            page.heading(title_of(course, shown.rankings.size()) + ": " +
                         counted(course.evaluations, "evaluation", "evaluations") + ", " +
                         seconds_text(course.seconds) + " s of compiling and measuring");
            if (course.improvements.empty()) {
                page.line("  There is no winner: no candidate was measured completely and verified.", tone::warning);
                continue;
            }
            add_improvements(course, found.top, page);
        }
    }
    if (all.size() > 1 && series > 1) add_summary(all, found, page);
    add_diagnostics(found.diagnostics, page);
    return page;
}

namespace {

ordered_json improvement_json(const improvement& improvement, convergence_kind kind)
{
    const auto if_kind = [&](convergence_kind wanted) {
        return kind == wanted ? ordered_json(improvement.value) : ordered_json(nullptr);
    };
    return {{"evaluation", improvement.evaluation},
            {"seconds", improvement.seconds},
            {"median_ns", if_kind(convergence_kind::time)},
            {"cost", if_kind(convergence_kind::cost)},
            {"score", if_kind(convergence_kind::score)},
            {"gap", improvement.gap},
            {"parameters", values_json(improvement.parameters)}};
}

}  // namespace

ordered_json convergence_json(const results_report& found)
{
    const auto [environments, runs] = runs_json(found.runs);
    ordered_json series = ordered_json::array();
    const std::vector<std::vector<convergence>> all = converged(found);
    for (std::size_t run = 0; run < all.size(); ++run)
        for (const convergence& course : all[run]) {
            ordered_json improvements = ordered_json::array(), reached = ordered_json::array();
            for (const improvement& one : course.improvements)
                improvements.push_back(improvement_json(one, course.kind));
            for (std::size_t part = 0; part < convergence_parts.size(); ++part) {
                ordered_json at{{"within", convergence_parts[part]}, {"evaluation", nullptr}, {"seconds", nullptr}};
                if (!course.improvements.empty()) {
                    at["evaluation"] = course.improvements[course.reached[part]].evaluation;
                    at["seconds"] = course.improvements[course.reached[part]].seconds;
                }
                reached.push_back(at);
            }
            series.push_back({{"run", run},
                              {"workload", optional_values_json(course.workload)},
                              {"evaluations", course.evaluations},
                              {"seconds", course.seconds},
                              {"reached", reached},
                              {"improvements", improvements}});
        }
    return {{"schema", "launchbox.convergence/1"},
            {"environments", environments},
            {"runs", runs},
            {"series", series},
            {"problems", value_json(found.diagnostics)}};
}

table convergence_table(const results_report& found)
{
    const auto row_of = [](const shown_run& shown, std::size_t run, const convergence& course, const improvement& one) {
        ordered_json row{{"file", json_text(shown.file)},
                         {"number", shown.run.number},
                         {"name", json_text(shown.run.info.name)},
                         {"gpu", json_text(shown.run.info.environment.gpu)},
                         {"run", run},
                         {"overall", !course.workload},
                         {"workload", texts_json(course.workload.value_or(assignment{}))},
                         {"parameters", texts_json(one.parameters)}};
        ordered_json figures = improvement_json(one, course.kind);
        figures.erase("parameters");
        row.update(figures);
        return row;
    };
    ordered_json rows = ordered_json::array();
    const std::vector<std::vector<convergence>> all = converged(found);
    for (std::size_t run = 0; run < all.size(); ++run)
        for (const convergence& course : all[run])
            for (const improvement& one : course.improvements)
                rows.push_back(row_of(found.runs[run], run, course, one));
    return flat_table(rows, row_of({}, 0, {}, {}));
}

}  // namespace launchbox
