// launchbox results: recorded measurements, ranked.
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "app/results/new_store.hpp"
#include "app/results/recorded_results.hpp"
#include "cli/chart_files.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/results_exchange.hpp"
#include "cli/results_views.hpp"
#include "cli/verbs.hpp"
#include "gpu/driver.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

struct results_options {
    std::vector<std::string> files;
    output_options output;
    exchange_options exchange;
    std::vector<std::string> workload, log;
    std::string gpu, top = "10", svg, objective, architectures;
    std::int64_t run = 0;
    bool failures = false, samples = false, here = false;
    results_view_options view;
};

std::size_t rows_wanted(const std::string& text)
{
    if (text == "all") return static_cast<std::size_t>(-1);
    std::size_t rows = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rows);
    if (failure != std::errc() || end != text.data() + text.size() || rows == 0)
        throw error("--top: '" + escape_for_terminal(text) + "' is not a number of rows",
                    "write a number from 1, or --top all");
    return rows;
}

// The rows of GPUs, besides the ranking: which are wanted.
void add_rows(const results_options& options, results_report& report)
{
    std::vector<compute_capability> architectures;
    if (!options.architectures.empty())
        for (const target& one : architecture_list(options.architectures).known(known_capabilities()))
            architectures.push_back(one.architecture);
    gpu_list gpus;
    if (options.here) gpus = find_gpus();
    if (options.here && gpus.devices.empty())
        throw error("no GPU on this machine: " + gpus.reason, "leave --here out, or run it where there is one",
                    exit_status::missing);
    add_used_rows(report, architectures, gpus.devices);
}

exit_status run_results(const results_options& options)
{
    const bool shows_log = !options.log.empty();
    const bool asks_for_rows = options.here || !options.architectures.empty();
    if (asks_for_rows && (shows_log || options.view.any() || options.exchange.merge || !options.svg.empty() ||
                          !options.exchange.format.empty() || options.output.format == "csv"))
        throw error("--arch and --here are for the table and the JSON of results", "leave the other view out");
    if (shows_log && options.view.any())
        throw error("--log cannot be combined with another view", "leave one of them out");
    if (shows_log && options.output.format != "table" && options.output.format != "markdown")
        throw error("--log has no other format", "leave --format out; the logs are also in --format json --samples");
    if (options.exchange.merge) {
        if (shows_log || options.view.any() || !options.svg.empty() || options.output.format != "table")
            throw error("--merge only writes a store", "launchbox results FILE shows what is in it");
        merge_results(options.files, options.output.file.path, terminal_listener());
        return exit_status::done;
    }
    const bool landscape = options.view.is_landscape();
    if (!options.svg.empty() && (shows_log || (options.view.any() && !landscape) || options.output.file.is_file()))
        throw error("--svg only writes pictures", "leave --output, --log and the other views out");
    if (!landscape && (options.output.format == "html" || options.output.format == "svg"))
        throw error("--format " + options.output.format + " is only for maps",
                    "add --map threads,items; launchbox report writes a page of everything, --svg DIR its pictures");
    if (landscape && (options.exchange.import || !options.exchange.format.empty()))
        throw error("--map and --by only show what is there", "leave --import and --export out");
    if (options.exchange.format.empty()) check_output(options.output.file);
    const std::size_t top = rows_wanted(options.top);
    results_request request{.files = options.files,
                            .gpu = options.gpu,
                            .run = options.run,
                            .workloads = parse_value_filter(options.workload, "--workload"),
                            .parameters = parse_value_filter(options.log, "--log"),
                            .objective = options.objective};
    imported_store imported;
    if (options.exchange.import) {
        imported = import_results(options.files, options.exchange.store, terminal_listener());
        request.files = {imported.name};
    }
    recorded_results found = read_results(request, terminal_listener());
    const exit_status status = found.status != exit_status::done ? found.status : imported.status;
    results_report& report = found.report;
    report.diagnostics.insert(report.diagnostics.begin(), imported.diagnostics.begin(), imported.diagnostics.end());
    report.top = top;
    report.all_failures = options.failures;
    report.with_samples = options.samples;
    if (landscape) {
        show_landscape(options.view, std::move(report), options.output, options.svg);
        return status;
    }
    if (options.view.any()) {
        const exit_status shown = show_results_view(options.view, std::move(report), options.output);
        return status == exit_status::done ? shown : status;
    }
    if (!options.exchange.format.empty()) {
        export_results(options.exchange, request.files, options.output.file, report);
        return status;
    }
    if (!options.svg.empty()) {
        write_charts(options.svg, options.output.file.overwrite, charts_of(report));
        return status;
    }
    if (!shows_log && options.output.format != "csv") add_rows(options, report);
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
    verb->add_option("--run", options->run, "Only the run with this number")->type_name("N")->check(run_number());
    verb->add_option("--objective", options->objective,
                     "Rank by this objective instead of the run's: energy; 'time,power where energy <= 0.2'")
        ->type_name("TEXT");
    verb->add_option("--arch", options->architectures,
                     "Also show which candidate launchbox emit gives these architectures, and where it was measured")
        ->type_name("ARCH,...");
    verb->add_flag("--here", options->here, "The same for the GPUs of this machine; exit 3 if there are none");
    verb->add_option("--top", options->top, "Rows of a table (default 10), or all")->type_name("N");
    verb->add_flag("--failures", options->failures, "Every candidate that was not measured, with the reason");
    verb->add_flag("--samples", options->samples,
                   "JSON with samples, logs and specs, which results and tune --replay can read");
    verb->add_option("--log", options->log,
                     "The compiler's output and resources of these candidates: threads=256,items=11")
        ->type_name("NAME=VALUE");
    verb->add_option("--svg", options->svg,
                     "Write each chart of launchbox report as a picture into this folder instead")
        ->type_name("DIR");
    options->view.add_to(*verb);
    options->exchange.add_to(*verb);
    options->output.add_to(*verb, {"html", "svg"});
    add_examples(*verb, "launchbox results tests/data/results/example.json --workload n=1048576",
                 "launchbox results tests/data/results/example.json --format csv --top all");
    verb->callback([options, &context] { context.action = [options] { return run_results(*options); }; });
}

}  // namespace launchbox::cli
