// launchbox results: recorded measurements, ranked.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "cli/chart_files.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/results_exchange.hpp"
#include "cli/results_views.hpp"
#include "cli/verbs.hpp"
#include "report/tune/results_report.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/store/result_filter.hpp"

namespace launchbox::cli {

namespace {

struct results_options {
    std::vector<std::string> files;
    output_options output;
    exchange_options exchange;
    std::vector<std::string> workload, log;
    std::string gpu, top = "10", svg;
    std::int64_t run = 0;
    bool failures = false, samples = false;
    results_view_options view;
};

std::vector<shown_run> read_files(const results_options& options, results_report& report, exit_status& status);
void keep_wanted(const results_options& options, std::vector<shown_run>& runs);
std::size_t rows_wanted(const std::string& text);

exit_status run_results(results_options options)
{
    const bool shows_log = !options.log.empty();
    if (shows_log && options.view.any()) throw error("--log is a view of its own", "leave the other view out");
    if (shows_log && (options.output.format == "json" || options.output.format == "csv"))
        throw error("--log is text for people", "leave --format out; with --format json --samples logs are part of it");
    if (options.exchange.merge) {
        if (shows_log || options.view.any() || !options.svg.empty() || options.output.format != "table")
            throw error("--merge writes a store and shows nothing", "launchbox results FILE shows what is in it");
        merge_results(options.files, options.output.file.path);
        return exit_status::done;
    }
    if (!options.svg.empty() && (shows_log || options.view.any() || options.output.file.is_file()))
        throw error("--svg writes pictures alone", "leave --output, --log and the other views out");
    if (options.exchange.format.empty()) check_output(options.output.file);
    results_report report;
    report.top = rows_wanted(options.top);
    report.all_failures = options.failures;
    report.with_samples = options.samples;
    exit_status status = exit_status::done;
    if (options.exchange.import)
        options.files = {import_results(options.exchange, options.files, report.diagnostics, status)};
    report.runs = read_files(options, report, status);
    keep_wanted(options, report.runs);
    for (shown_run& run : report.runs) run.rankings = rank(run.run.results, run.run.races, run.run.info.baseline);
    if (options.view.any()) {
        const exit_status shown = show_results_view(options.view, std::move(report), options.output);
        return status == exit_status::done ? shown : status;
    }
    if (!options.exchange.format.empty()) {
        export_results(options.exchange, options.files, options.output.file, report);
        return status;
    }
    if (!options.svg.empty()) {
        write_charts(options.svg, options.output.file.overwrite, charts_of(report));
        return status;
    }
    report_forms forms;
    forms.page = [&](const output_style&) {
        return shows_log ? results_log_document(report) : results_document(report);
    };
    forms.write_json = [&](std::ostream& out) { write_results_json(report, out); };
    forms.rows = [&] { return results_table(report); };
    write_report(options.output, forms);
    return status;
}

}  // namespace

void add_results(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("results", "Show what launchbox tune measured: ranking, winner, failures");
    auto options = std::make_shared<results_options>();
    verb->add_option("files", options->files,
                     "Stores (.db), JSON of this verb, or files of Kernel Tuner, KTT and T4; - is stdin")
        ->type_name("FILE")
        ->required();
    verb->add_option("--workload", options->workload,
                     "Only workloads with these values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUE");
    verb->add_option("--gpu", options->gpu, "Only runs on GPUs, or processors, with this in their name")
        ->type_name("NAME");
    verb->add_option("--run", options->run, "Only the run with this number")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    verb->add_option("--top", options->top, "Rows of a table (default 10), or all")->type_name("N");
    verb->add_flag("--failures", options->failures, "Every candidate that was not measured, with the reason");
    verb->add_flag("--samples", options->samples,
                   "JSON with everything: samples, logs, specs; results and tune --replay can read it");
    verb->add_option("--log", options->log,
                     "The compiler's output and resources of these candidates: threads=256,items=11")
        ->type_name("NAME=VALUE");
    verb->add_option("--svg", options->svg,
                     "Write each chart of launchbox report as a picture into this folder instead")
        ->type_name("DIR");
    options->view.add_to(*verb);
    options->exchange.add_to(*verb);
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox results tests/data/results/example.json --workload n=1048576",
                 "launchbox results tests/data/results/example.json --format csv --top all");
    verb->callback([options, &context] { context.action = [options] { return run_results(*options); }; });
}

namespace {

// One bad file among several is reported, and the rest is shown.
std::vector<shown_run> read_files(const results_options& options, results_report& report, exit_status& status)
{
    if (std::count(options.files.begin(), options.files.end(), "-") > 1)
        throw error("standard input can be read only once", "name - once");
    std::vector<shown_run> runs;
    std::size_t read_well = 0;
    for (const std::string& path : options.files) try {
            result_file read = read_result_file(path);
            ++read_well;
            for (recorded_run& run : read.runs)
                runs.push_back({path == "-" ? "standard input" : path, std::move(run), {}});
            report.diagnostics.insert(report.diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
        } catch (const error& failure) {
            if (options.files.size() == 1) throw;
            say(failure.what());
            status = failure.status();
        }
    if (read_well == 0) throw error("none of the files can be read", "name stores of launchbox tune");
    return runs;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char byte) { return static_cast<char>(byte < 128 ? std::tolower(byte) : byte); });
    return text;
}

// The names that there are, for who has named another.
std::string known(const std::set<std::string>& names)
{
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (++count > 8) return text + fmt::format(" and {} more", names.size() - 8);
        text += (text.empty() ? "" : "; ") + escape_for_terminal(name);
    }
    return text.empty() ? "there are none" : "there are: " + text;
}

void keep_runs(const results_options& options, std::vector<shown_run>& runs)
{
    std::set<std::string> machines, numbers;
    const std::string wanted = lower(options.gpu);
    std::erase_if(runs, [&](const shown_run& run) {
        const environment_info& where = run.run.info.environment;
        machines.insert(where.gpu.empty() ? where.processor : where.gpu);
        return lower(where.gpu).find(wanted) == std::string::npos &&
               lower(where.processor).find(wanted) == std::string::npos;
    });
    if (runs.empty() && !options.gpu.empty())
        throw error("no run was on '" + escape_for_terminal(options.gpu) + "'", known(machines));
    if (options.run == 0) return;
    std::erase_if(runs, [&](const shown_run& run) {
        numbers.insert(std::to_string(run.run.number));
        return run.run.number != options.run;
    });
    if (runs.empty()) throw error(fmt::format("there is no run {}", options.run), known(numbers));
}

// Runs without a result that is wanted go; without a filter all stay.
void keep_results(std::vector<shown_run>& runs, const std::vector<std::string>& texts, const std::string& option,
                  assignment stored_result::*part)
{
    const value_filter filter = parse_value_filter(texts, option);
    if (filter.wanted.empty()) {
        if (!texts.empty()) throw error(option + " names nothing", "write, for example, " + option + " n=1e8");
        return;
    }
    std::set<std::string> names;
    for (shown_run& run : runs) {
        std::erase_if(run.run.results, [&](const stored_result& result) {
            names.insert(text_of(result.*part));
            return !filter.matches(result.*part);
        });
        if (part == &stored_result::workload)
            std::erase_if(run.run.races, [&](const race_result_info& race) { return !filter.matches(race.workload); });
    }
    std::erase_if(runs, [](const shown_run& run) { return run.run.results.empty(); });
    if (!runs.empty()) return;
    std::string asked;
    for (const auto& [name, values] : filter.wanted)
        asked += fmt::format("{}{}={}", asked.empty() ? "" : " ", name, fmt::join(values, ","));
    throw error("nothing has " + escape_for_terminal(asked), known(names));
}

void keep_wanted(const results_options& options, std::vector<shown_run>& runs)
{
    keep_runs(options, runs);
    keep_results(runs, options.workload, "--workload", &stored_result::workload);
    keep_results(runs, options.log, "--log", &stored_result::parameters);
}

std::size_t rows_wanted(const std::string& text)
{
    if (text == "all") return static_cast<std::size_t>(-1);
    std::size_t rows = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rows);
    if (failure != std::errc() || end != text.data() + text.size() || rows == 0)
        throw error("--top: '" + escape_for_terminal(text) + "' is no number of rows",
                    "write a number from 1, or --top all");
    return rows;
}

}  // namespace

}  // namespace launchbox::cli
