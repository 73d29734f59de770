// launchbox report: what was measured and compiled, as one page that any browser opens.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "advice/inspect/kernel_diff.hpp"
#include "app/inspect/inspect.hpp"
#include "capture/launches/launches_file.hpp"
#include "cli/kernel_options.hpp"
#include "cli/messages.hpp"
#include "cli/verbs.hpp"
#include "report/core/own_file.hpp"
#include "report/html/html_page.hpp"
#include "report/html/report_page.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/store/result_filter.hpp"

namespace launchbox::cli {

namespace {

struct report_options {
    kernel_options input;
    std::vector<std::string> workload;
    output_file output;
    std::string against, title;
    std::int64_t run = 0;
    bool calculator = false;
};

// A store or JSON by its name or its first bytes; anything else holds kernels.
bool is_record(const std::string& path)
{
    if (path == "-") return false;
    const bool is_named_so = std::ranges::any_of(std::array{".db", ".sqlite", ".json", ".json.gz"},
                                                 [&](const char* ending) { return has_ending(path, ending); });
    if (is_named_so) refuse_irregular(path);  // it is read more than once
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) return is_named_so;  // what is read of a pipe is gone
    std::ifstream file(path, std::ios::binary);
    std::string start(4096, '\0');
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
    if (start.starts_with("SQLite format 3")) return true;
    return is_named_so && (is_gzip(start) || !looks_like_binary(start));
}

// JSON of `capture`, whatever the order of its names.
bool holds_launches(const std::string& path)
{
    return has_ending(path, ".json") && is_launches_json(utf8_text(read_input(path)));
}

void write_page(const report_options& options, const std::string& page)
{
    write_output(options.output, [&](std::ostream& out) {
        out << page;
        if (options.output.is_file()) out << own_markup_mark("report");
    });
}

exit_status write_calculator(const report_options& options)
{
    if (!options.input.typed.files.empty() || !options.against.empty() || !options.workload.empty())
        throw error("--calculator is a page of its own",
                    "leave the files out; launchbox occupancy FILE --open fills it in");
    write_page(options, calculator_page(""));
    return exit_status::done;
}

void read_runs(const report_options& options, const std::vector<std::string>& files, page_content& content,
               exit_status& status)
{
    results_report& found = content.runs.found;
    for (const std::string& path : files) try {
            result_file read = read_result_file(path);
            if (read.runs.empty()) content.errors.push_back(path + " has no run: nothing was measured into it");
            for (recorded_run& run : read.runs)
                if (options.run == 0 || run.number == options.run) found.runs.push_back({path, std::move(run), {}});
            found.diagnostics.insert(found.diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
        } catch (const error& failure) {
            if (files.size() == 1 && options.input.typed.files.size() == 1) throw;
            say(failure.what());
            content.errors.emplace_back(failure.what());
            status = failure.status();
        }
    if (found.runs.empty() && options.run != 0)
        throw error(fmt::format("there is no run {}", options.run), "leave --run out");
    const value_filter filter = parse_value_filter(options.workload, "--workload");
    for (shown_run& run : found.runs) {
        if (!filter.wanted.empty()) {
            std::erase_if(run.run.results, [&](const stored_result& one) { return !filter.matches(one.workload); });
            std::erase_if(run.run.races, [&](const race_result_info& one) { return !filter.matches(one.workload); });
        }
        run.rankings = rank(run.run.results, run.run.races, run.run.info.baseline);
    }
    if (!filter.wanted.empty()) {
        const bool any = std::any_of(found.runs.begin(), found.runs.end(),
                                     [](const shown_run& run) { return !run.run.results.empty(); });
        if (!any) throw error("no result is of that workload", "launchbox results lists them");
    }
    for (std::size_t i = 1; i < found.runs.size(); ++i)
        content.runs.others.push_back(
            compare_runs(found.runs[0].run, found.runs[0].rankings, found.runs[i].run, found.runs[i].rankings));
}

exit_status run_report(const report_options& options, const call_context& context)
{
    check_output(options.output);
    if (options.calculator) return write_calculator(options);
    if (options.input.typed.files.empty())
        throw error("report needs a file", "name a store of launchbox tune, a program or a source; or --calculator");
    page_content content;
    exit_status status = exit_status::done;
    std::vector<std::string> records, launches;
    kernel_request wanted = options.input.request(context);
    wanted.files.clear();
    for (const std::string& path : options.input.typed.files)
        (!is_record(path) ? wanted.files : holds_launches(path) ? launches : records).push_back(path);
    for (const std::string& path : launches)
        content.launches.push_back({path, read_launches_json(utf8_text(read_input(path)), path)});
    content.title = options.title;
    if (content.title.empty())
        for (const std::string& path : options.input.typed.files)
            content.title += (content.title.empty() ? "launchbox: " : ", ") + path.substr(path.rfind('/') + 1);
    if (!records.empty()) read_runs(options, records, content, status);
    if (wanted.files.empty() && !options.against.empty())
        throw error("--against compares kernels, and no program or source is named", "name the newer build, too");

    inspected_files earlier;
    kernel_diff changes;
    if (!wanted.files.empty()) {
        wanted.hash_code = !options.against.empty();
        catch_interrupts();
        inspected_files files = inspect_kernels(wanted, terminal_listener());
        content.kernels = std::move(files.found);
        content.kernels->page_rows = usual_page_rows;
        if (shown_as_list(*content.kernels))
            content.findings = count_findings(content.kernels->kernels, std::nullopt);
        else
            content.accounts = accounts_of(content.kernels->kernels, std::nullopt);
        if (!options.against.empty()) {
            wanted.files = {options.against};
            earlier = inspect_kernels(wanted, terminal_listener());
            changes = compare_kernels(earlier.found.kernels, content.kernels->kernels);
            refuse_debug_and_release(changes);
            content.changes = &changes;
            content.against = options.against;
            print_errors(earlier.input);
        }
        print_errors(files.input);
        for (const inspected_input& one : content.kernels->inputs)
            for (const std::string& failure : one.errors) content.errors.push_back(one.file + ": " + failure);
        if (status == exit_status::done) status = files.input.status();
    }
    write_page(options, report_page(content));
    return status;
}

}  // namespace

void add_report(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("report", "What was measured and compiled, as one HTML file that needs no network");
    auto options = std::make_shared<report_options>();
    options->input.add_to(*verb, false);
    verb->add_option("-o,--output", options->output.path, "The file to write; - is standard output")
        ->type_name("FILE")
        ->required();
    options->output.add_overwrite(*verb);
    verb->add_option("--against", options->against, "An earlier build: adds what changed from it to the kernels named")
        ->type_name("FILE");
    verb->add_option("--workload", options->workload,
                     "Only workloads with these values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUE");
    verb->add_option("--run", options->run, "Only the run with this number")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    verb->add_option("--title", options->title, "Heading of the page; default: the names of the files")
        ->type_name("TEXT");
    verb->add_flag("--calculator", options->calculator, "Write the interactive occupancy calculator instead");
    add_examples(*verb, "launchbox report tests/data/results/example.json -o report.html",
                 "launchbox report examples/merge.cu --arch sm_80,sm_90 -o kernels.html");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_report(*options, context); }; });
}

}  // namespace launchbox::cli
