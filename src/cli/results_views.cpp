// SPDX-License-Identifier: Apache-2.0
#include "cli/results_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/results/recorded_results.hpp"
#include "app/sizes.hpp"
#include "cli/chart_files.hpp"
#include "cli/messages.hpp"
#include "cli/value_checks.hpp"
#include "report/charts/chart_svg.hpp"
#include "report/charts/landscape_charts.hpp"
#include "report/core/own_file.hpp"
#include "report/html/landscape_page.hpp"
#include "report/tune/comparison_report.hpp"
#include "report/tune/convergence_report.hpp"
#include "report/tune/portability_report.hpp"
#include "report/tune/run_cells.hpp"

namespace launchbox::cli {

namespace {

std::vector<std::string> names_in(const std::string& text, const std::string& option, const std::string& example)
{
    std::vector<std::string> names;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string_view name = std::string_view(text).substr(start, end - start);
        start = end + 1;
        const std::size_t first = name.find_first_not_of(' ');
        if (first == std::string_view::npos)
            throw error(option + ": a name is empty", "write, for example, " + option + " " + example);
        names.emplace_back(name.substr(first, name.find_last_not_of(' ') - first + 1));
    }
    return names;
}

void show_convergence(const results_report& found, const output_options& output)
{
    report_forms forms;
    forms.page = [&](const output_style&) { return convergence_document(found); };
    forms.json = [&] { return convergence_json(found); };
    forms.rows = [&] { return convergence_table(found); };
    write_report(output, forms);
}

void show_portable(results_report found, double within, const output_options& output)
{
    const portability_report report = find_portable_rows(std::move(found), within);
    report_forms forms;
    forms.page = [&](const output_style&) { return portability_document(report); };
    forms.write_json = [&](std::ostream& out) { write_portability_json(report, out); };
    forms.rows = [&] { return portability_table(report); };
    write_report(output, forms);
}

comparison_report compared(results_report found)
{
    if (found.runs.size() < 2)
        throw error("--compare needs two runs, and there is one",
                    "name a second file, or leave --run, --gpu and --workload out");
    comparison_report report{std::move(found), {}};
    const std::vector<shown_run>& runs = report.found.runs;
    for (std::size_t i = 1; i < runs.size(); ++i)
        report.others.push_back(compare_runs(runs[0].run, runs[0].rankings, runs[i].run, runs[i].rankings));
    return report;
}

// One message for each winner that got slower by more than allowed. Throws `error` if the samples are inconclusive.
std::vector<std::string> slower_winners(const comparison_report& report, double allowed_percent)
{
    std::vector<std::string> messages;
    for (std::size_t i = 0; i < report.others.size(); ++i) {
        std::size_t judged = 0;
        for (const compared_workload& workload : report.others[i].workloads) {
            const std::string where =
                fmt::format("{} in {}, against {}", workload_name(workload.workload), letter_of(i + 1), letter_of(0));
            if (!workload.winner_a) continue;
            ++judged;
            if (workload.noise_b)
                throw error(
                    fmt::format("{}: {} has no winner: {}", where, letter_of(i + 1), noise_text(*workload.noise_b)),
                    "measure again on an idle machine");
            if (!workload.best) {
                messages.push_back(where + ": there is no winner any more");
                continue;
            }
            const double slower = (workload.best->ratio.times - 1) * 100;
            if (slower <= allowed_percent || workload.best->moved == move_kind::equal) continue;
            if (workload.best->moved == move_kind::unclear)
                throw error(
                    fmt::format(
                        "{}: the winner is {:.1f} % slower, with too few samples to distinguish that from noise", where,
                        slower),
                    "give stores, or JSON written with --samples");
            if (workload.best->moved == move_kind::slower)
                messages.push_back(fmt::format("{}: the winner is {:.1f} % slower ({:.1f} % are allowed)", where,
                                               slower, allowed_percent));
        }
        // Each run is judged separately: one does not vouch for another.
        if (judged == 0)
            throw error(fmt::format("--fail-slower: {} was not compared: it has no workload for which {} has a winner",
                                    letter_of(i + 1), letter_of(0)),
                        "compare runs of the same workloads; --run and --gpu choose among those of a file");
    }
    return messages;
}

}  // namespace

void results_view_options::add_to(CLI::App& verb)
{
    auto* best = verb.add_flag("--convergence", convergence,
                               "Show how soon the best candidate was found, by evaluations and by time");
    auto* both = verb.add_flag("--compare", compare, "Compare the first run with the others: differences beyond noise");
    verb.add_option("--fail-slower", fail_slower,
                    "With --compare: exit status 1 if a winner is slower by more than this, in percent")
        ->type_name("PERCENT")
        ->check(number(0))
        ->needs(both);
    best->excludes(both);
    auto* map_option =
        verb.add_option("--map", map, "Show the best of each value of one or two parameters: threads,items")
            ->type_name("NAME[,NAME]");
    auto* by_option =
        verb.add_option("--by", by,
                        "One map for each type, size and GPU: type,n,gpu; without --map one line with the best of each")
            ->type_name("NAME,...");
    verb.add_option("--unit", unit, "With --map: time, work per second, or share of the best")
        ->check(one_of(landscape_unit_names()))
        ->type_name("UNIT")
        ->needs(map_option);
    auto* rows_option =
        verb.add_flag("--portable", portable,
                      "Compare the records of several GPUs: the best common row, and how few rows are enough");
    verb.add_option("--within", within,
                    "With --portable: the loss that is accepted on each GPU, in percent (default 2)")
        ->type_name("PERCENT")
        ->needs(rows_option);
    for (CLI::Option* option : {map_option, by_option, rows_option}) option->excludes(best)->excludes(both);
    rows_option->excludes(map_option)->excludes(by_option);
}

void show_landscape(const results_view_options& options, results_report found, const output_options& output,
                    const std::string& svg)
{
    landscape_request request;
    if (options.map) request.axes = names_in(*options.map, "--map", "threads,items");
    if (options.by) request.by = names_in(*options.by, "--by", "type,n,gpu");
    if (request.axes.size() > 2)
        throw error(fmt::format("--map takes one or two names, not {}", request.axes.size()),
                    "--by makes a map for each value of others");
    const landscape_report report = draw_landscape(std::move(found), request, options.unit);
    const auto pictures = [&] {
        if (request.axes.empty())
            throw error("--by without --map is a table, not a picture", "add --map, or choose another format");
        return landscape_charts(report);
    };
    if (!svg.empty()) {
        write_charts(svg, output.file.overwrite, pictures());
        return;
    }
    report_forms forms;
    forms.page = [&](const output_style& style) {
        // Lines in a Markdown file may have any length.
        return landscape_document(report, output.format == "markdown" ? output_style{.width = 100'000} : style);
    };
    forms.write_json = [&](std::ostream& out) { write_landscape_json(report, out); };
    forms.rows = [&] { return landscape_table(report); };
    forms.others["html"] = [&] { return landscape_page(report) + own_markup_mark("results"); };
    forms.others["svg"] = [&] {
        const std::vector<chart> charts = pictures();
        if (charts.empty()) throw error("there is nothing to draw", "--format json says what is known");
        if (charts.size() > 1)
            throw error(fmt::format("there are {} maps, and a picture has one", charts.size()),
                        "--svg DIR writes each, --format html all into one page; or select with --workload or --gpu");
        return svg_of(charts.front(), svg_use::file);
    };
    write_report(output, forms);
}

exit_status show_results_view(const results_view_options& options, results_report found, const output_options& output)
{
    if (options.convergence) {
        show_convergence(found, output);
        return exit_status::done;
    }
    if (options.portable) {
        show_portable(std::move(found), options.within.empty() ? 0.02 : parse_percent(options.within, "--within"),
                      output);
        return exit_status::done;
    }
    if (options.fail_slower && !std::isfinite(*options.fail_slower))
        throw error("--fail-slower is not a percentage", "write, for example, --fail-slower 5");
    const comparison_report report = compared(std::move(found));
    report_forms forms;
    forms.page = [&](const output_style&) { return comparison_document(report); };
    forms.json = [&] { return comparison_json(report); };
    forms.rows = [&] { return comparison_table(report); };
    std::vector<std::string> slower;
    if (options.fail_slower) slower = slower_winners(report, *options.fail_slower);
    write_report(output, forms);
    for (const std::string& text : slower) say(text);
    return slower.empty() ? exit_status::done : exit_status::check_failed;
}

}  // namespace launchbox::cli
