// launchbox report: measurements and compiled kernels as one page for any browser.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/page_reading.hpp"
#include "cli/kernel_options.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/core/own_file.hpp"
#include "report/html/html_page.hpp"
#include "report/html/report_page.hpp"

namespace launchbox::cli {

namespace {

struct report_options {
    kernel_options input;
    page_request typed;  // filled by CLI11
    std::vector<std::string> workload;
    output_file output;
    bool calculator = false;
};

void write_page(const report_options& options, const std::string& page)
{
    write_output(options.output, [&](std::ostream& out) {
        out << page;
        if (options.output.is_file()) out << own_markup_mark("report");
    });
}

exit_status write_calculator(const report_options& options)
{
    const kernel_options& input = options.input;
    if (!input.typed.files.empty() || input.typed.threads || input.dynamic_shared || !options.typed.against.empty() ||
        !options.workload.empty() || options.typed.advise)
        throw error("--calculator writes a page of its own",
                    "leave the files out; launchbox occupancy FILE --open fills it in");
    write_page(options, calculator_page(""));
    return exit_status::done;
}

bool is_empty(const page_content& content)
{
    return content.runs.found.runs.empty() && content.launches.empty() &&
           (!content.kernels || content.kernels->kernels.empty());
}

exit_status run_report(const report_options& options, const call_context& context)
{
    check_output(options.output);
    if (options.calculator) return write_calculator(options);
    if (options.input.typed.files.empty())
        throw error("report needs a file", "name a store of launchbox tune, a program or a source; or --calculator");
    page_request request = options.typed;
    request.input = options.input.request(context);
    request.workloads = parse_value_filter(options.workload, "--workload");
    page_material page;
    read_page(request, page, terminal_listener());
    print_errors(page.earlier.input);
    print_errors(page.input);
    if (page.status == exit_status::bad_input && is_empty(page.content)) return page.status;
    write_page(options, report_page(page.content));
    return page.status;
}

}  // namespace

void add_report(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("report", "Write measurements and kernels as one HTML file that needs no network");
    auto options = std::make_shared<report_options>();
    options->input.add_to(*verb, false);
    verb->add_option("-t,--threads", options->input.typed.threads,
                     "Threads per block of the launch; default: the launch bound, or what the source launches")
        ->transform(whole_number(1, max_threads_per_block))
        ->type_name("N");
    options->input.add_dynamic_shared(*verb);
    verb->add_option("-o,--output", options->output.path, "The file to write; - is standard output")
        ->type_name("FILE")
        ->required();
    options->output.add_overwrite(*verb);
    verb->add_option("--against", options->typed.against, "An earlier build: adds the changes since then")
        ->type_name("FILE");
    verb->add_option("--workload", options->workload,
                     "Only workloads with these values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUE");
    verb->add_option("--run", options->typed.run, "Only the run with this number")->type_name("N")->check(run_number());
    verb->add_flag(
        "--advise", options->typed.advise,
        "Also compile the alternatives of a source's kernels, as launchbox advise does, and recommend what to write");
    verb->add_flag("--calculator", options->calculator, "Write the interactive occupancy calculator instead");
    add_examples(*verb, "launchbox report tests/data/results/example.json -o report.html",
                 "launchbox report examples/merge.cu --arch sm_80,sm_90 -o kernels.html");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_report(*options, context); }; });
}

}  // namespace launchbox::cli
