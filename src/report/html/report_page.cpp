// SPDX-License-Identifier: Apache-2.0
#include "report/html/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/capture/launches_report.hpp"
#include "report/charts/kernel_charts.hpp"
#include "report/html/html_page.hpp"
#include "report/kernels/diff_report.hpp"
#include "report/kernels/findings_report.hpp"
#include "report/tune/run_cells.hpp"
#include "support/process/command_words.hpp"
#include "support/text/counted.hpp"
#include "support/text/rounded_number.hpp"

namespace launchbox {

namespace {

// Wide, since the browser breaks lines.
constexpr output_style page_style_of_tables{.width = 200};
constexpr std::size_t rows_of_candidates = 25, max_verdicts = 12;
// Every chart of a workload is included; with more workloads, the page would be hundreds of charts long.
constexpr std::size_t max_workloads_with_charts = 24;

table best_table(const shown_run& shown)
{
    table rows{{{"workload"}, {"candidate"}, {"ms", true}, {"± %", true}, {better_text(shown), true}}, {}};
    std::vector<assignment> workloads;
    bool rates = false;
    for (const ranking& workload : shown.rankings) {
        workloads.push_back(workload.workload);
        rates = rates || workload.work.any();
    }
    if (rates) rows.columns.push_back({"throughput"});
    const std::vector<std::string> names = workload_names(workloads);
    for (std::size_t i = 0; i < shown.rankings.size(); ++i) {
        const ranking& workload = shown.rankings[i];
        std::vector<cell> row{names[i]};
        if (!workload.decided) {
            row.emplace_back(verdict_text(shown.run.results, workload), tone::warning);
            row.resize(rows.columns.size());
            rows.rows.push_back(std::move(row));
            continue;
        }
        const ranked_candidate& winner = workload.candidates[workload.decided->winner];
        const std::optional<gain>& over =
            workload.decided->over_baseline ? workload.decided->over_baseline : winner.over_baseline;
        row.emplace_back(names_of(shown.run.results[winner.result].parameters), tone::strong);
        row.emplace_back(milliseconds(winner.time.median, winner.time.median));
        row.emplace_back(fmt::format("{:.1f}", winner.time.spread() * 100));
        row.emplace_back(winner.is_baseline ? "the baseline itself"
                         : over ? fmt::format("{} ({} to {})", in_three_digits(over->times), in_three_digits(over->low),
                                              in_three_digits(over->high))
                                : "–");
        if (rates) row.emplace_back(rates_text(per_second(workload.work, winner.time.median)));
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

void add_environment(const shown_run& shown, html_page& page)
{
    const run_info& info = shown.run.info;
    table rows{{{"what"}, {"value"}}, {}};
    const auto add = [&](const char* name, const std::string& value) {
        rows.rows.push_back({name, value.empty() ? "unknown" : escape_for_terminal(value)});
    };
    const environment_info& where = info.environment;
    add(where.gpu.empty() ? "processor" : "GPU", machine_of(where));
    if (!where.gpu.empty()) {
        add("architecture", where.architecture);
        add("SMs", where.sms > 0 ? std::to_string(where.sms) : "");
        add("memory", where.memory_bytes > 0 ? with_commas(where.memory_bytes) + " B" : "");
        add("driver", where.driver);
        add("compiler", where.toolkit);
    }
    add("launchbox", info.version);
    add("started", info.started);
    add("file", shown.file);
    add("run number", std::to_string(shown.run.number));
    add("task", info.task_hash);
    add("source", info.source_hash);
    page.add(rows);
    if (!info.command.empty()) {
        page.line("The command of this run; to repeat it, use the folder of the spec and its sources:");
        page.verbatim(info.command);
    } else {
        page.line("The file does not contain the command.", tone::faint);
    }
    if (info.spec_text.empty()) return;
    page.begin_details("The spec");
    page.verbatim(info.spec_text);
    page.end_details();
}

void add_run(const shown_run& shown, const std::string& name, const std::string& id, html_page& page)
{
    page.section(id, name + run_title(shown.run.info));
    page.line(run_line(shown), tone::faint);
    if (shown.rankings.empty()) {
        page.line("The run has no results: it was interrupted before the first one, or nothing matches the selection.",
                  tone::warning);
        add_environment(shown, page);
        return;
    }
    page.add(best_table(shown));
    for (const chart_group& group : run_charts(shown)) page.add(group, id + "-");
    for (std::size_t i = 0; i < shown.rankings.size(); ++i) {
        const std::string part = fmt::format("{}-w{}", id, i + 1);
        page.section(part, workload_name(shown.rankings[i].workload), 3);
        page.line(verdict_text(shown.run.results, shown.rankings[i]), tone::strong);
        page.begin_details("Best candidates and failures");
        page.add(workload_document(shown, shown.rankings[i], rows_of_candidates, false));
        page.end_details();
        if (i >= max_workloads_with_charts) {
            page.line(fmt::format("Charts are drawn for the first {} workloads; choose others with --workload.",
                                  max_workloads_with_charts),
                      tone::faint);
            continue;
        }
        for (const chart_group& group : workload_charts(shown, i)) page.add(group, part + "-");
    }
    page.section(id + "-environment", "Environment and commands", 3);
    add_environment(shown, page);
}

void add_comparison(const comparison_report& runs, html_page& page)
{
    page.section("compare", "The runs side by side");
    page.add(comparison_document(runs));
    for (std::size_t i = 0; i < runs.others.size(); ++i)
        for (const chart_group& group : comparison_charts(runs.found.runs[0], runs.found.runs[i + 1], runs.others[i]))
            page.add(group, fmt::format("c{}-", i + 1));
}

void add_kernels(const page_content& content, html_page& page)
{
    const inspection& found = *content.kernels;
    page.section("kernel-figures", "Kernels");
    for (const inspected_input& input : found.inputs) {
        std::vector<const inspected_kernel*> own;
        for (const inspected_kernel& kernel : found.kernels)
            if (kernel.info.source.file == input.file) own.push_back(&kernel);
        page.line(
            fmt::format("{}: {}, {}", escape_for_terminal(input.file), input.kind, counts_text(count_kernels(own))),
            tone::faint);
    }
    if (found.kernels.empty()) {
        page.line("No kernel was found in these files.", tone::warning);
        return;
    }
    if (page.has_calculator())
        page.line("Click an architecture to open the calculator with the figures of its row.", tone::faint);
    constexpr output_style style = page_style_of_tables;
    page.add(shown_as_list(found) ? kernel_list_document(found, {}, style, table_place::in_page)
                                  : kernel_tables_document(found, content.accounts, table_place::in_page));
    for (const chart_group& group : kernel_charts(found.kernels)) page.add(group, "k-");
    if (content.changes == nullptr) return;
    page.section("changes", "What changed against " + escape_for_terminal(content.against));
    page.add(diff_document(*content.changes, usual_page_rows, style, false));
}

void add_launches(const page_launches& launches, const std::string& id, html_page& page)
{
    page.section(id, "Launches: " + escape_for_terminal(launches.file));
    std::string command;
    for (const std::string& word : launches.run.command) command += (command.empty() ? "" : " ") + word;
    page.verbatim(escape_for_terminal(command));
    page.add(launches_document(launches.run, {.all = true, .findings = false}));
}

// Empty if there is no winner that a row of a launch box can hold.
std::string emit_command(const shown_run& shown)
{
    const run_info& info = shown.run.info;
    const bool wins = std::ranges::any_of(shown.rankings, [&](const ranking& one) {
        return one.decided && shown.run.results[one.candidates[one.decided->winner].result].parameters.find("threads");
    });
    const bool named = !info.name.empty() && std::ranges::all_of(info.name, [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    });
    if (!wins || !named || info.environment.architecture.empty()) return "";
    return fmt::format("launchbox emit {} --box {}_tuning", escape_for_terminal(shell_word(shown.file)), info.name);
}

// What to do, before all figures: for each kind of input, what is known about it.
void add_findings(const page_content& content, html_page& page)
{
    const std::vector<shown_run>& runs = content.runs.found.runs;
    if (runs.empty() && content.launches.empty() && !content.kernels) return;
    page.section("findings", "Findings");
    if (!content.advice.empty()) page.section("advice", "What to write", 3);
    for (const advice_report& advice : content.advice) {
        for (const std::string& failure : advice.errors) page.line(failure, tone::bad);
        page.add(advice_document(advice, true, page_style_of_tables));  // a page has room for all
    }
    if (!content.advice.empty()) page.section("found", "What the figures show", 3);
    if (content.kernels) page.add(findings_document(*content.kernels, content.findings));
    for (const page_launches& launches : content.launches) page.add(launch_findings_document(launches.run));
    for (std::size_t i = 0; i < runs.size(); ++i) {
        document found;
        found.heading((runs.size() > 1 ? letter_of(i) + ": " : "") + run_title(runs[i].run.info));
        const std::vector<ranking>& rankings = runs[i].rankings;
        for (std::size_t k = 0; k < std::min(rankings.size(), max_verdicts); ++k)
            found.line(workload_name(rankings[k].workload) + ": " + verdict_text(runs[i].run.results, rankings[k]));
        if (rankings.size() > max_verdicts)
            found.line(fmt::format("{} more workloads are below", count_text(rankings.size() - max_verdicts)),
                       tone::faint);
        if (rankings.empty()) found.line("The run has no results.", tone::warning);
        if (const std::string command = emit_command(runs[i]); !command.empty()) {
            found.line("To write the winners as a header:", tone::faint);
            found.verbatim(command);
        }
        page.add(found);
    }
}

}  // namespace

std::string report_page(const page_content& content)
{
    html_page page(content.title);
    for (const std::string& failure : content.errors) page.line(failure, tone::bad);
    const std::vector<shown_run>& runs = content.runs.found.runs;
    for (const std::string& note : content.runs.found.diagnostics) page.line("note: " + note, tone::warning);
    add_findings(content, page);
    for (std::size_t i = 0; i < runs.size(); ++i)
        add_run(runs[i], runs.size() > 1 ? letter_of(i) + ": " : "", fmt::format("run{}", i + 1), page);
    if (!content.runs.others.empty()) add_comparison(content.runs, page);
    for (std::size_t i = 0; i < content.launches.size(); ++i)
        add_launches(content.launches[i], fmt::format("launches{}", i + 1), page);
    if (content.kernels) add_kernels(content, page);
    return page.text();
}

}  // namespace launchbox
