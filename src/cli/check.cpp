// launchbox check: whether every kernel keeps within its budget, and none is worse than in the baseline.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/check/check.hpp"
#include "app/sizes.hpp"
#include "cli/kernel_options.hpp"
#include "cli/messages.hpp"
#include "cli/verbs.hpp"
#include "report/check/check_report.hpp"
#include "report/check/github_annotations.hpp"
#include "report/check/junit.hpp"
#include "report/check/sarif.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

constexpr std::size_t max_failures_named = 20;
const std::vector<std::string> more_formats{"sarif", "junit", "github"};
const std::vector<std::string> check_formats{"table", "json",  "csv",    "markdown",
                                             "sarif", "junit", "github", "baseline"};

struct check_options {
    kernel_options input;
    output_options output;
    check_request typed;  // filled by CLI11
    bool write_baseline = false;
    std::string stack_reserve, size;   // as typed
    std::vector<std::string> reports;  // as typed: "markdown=table.md"
    bool bisect = false;
};

std::vector<output_options> further_reports(const check_options& options);
exit_status write_baseline(const check_options& options, const checked_files& files);
exit_status show_check(const check_options& options, checked_files files);

check_request request_of(const check_options& options, const call_context& context)
{
    check_request request = options.typed;
    if (!options.stack_reserve.empty()) request.stack_reserve = parse_size(options.stack_reserve, "--stack-reserve");
    if (!options.size.empty()) request.image_bytes = parse_size(options.size, "--size");
    request.input = options.input.request(context);
    for (const output_options& report : further_reports(options)) request.keeps_figures |= report.format == "baseline";
    return request;
}

// Whether the report shows it: CSV only has rows for kernels, and the reason for exit status 2 is always reported
// elsewhere.
bool for_people(const std::string& format, const unchecked_part& part)
{
    if (format == "csv") return false;
    return !part.is_gate || format == "table" || format == "markdown" || format == "github";
}

// For --report: writes the same findings to a file, too.
std::vector<output_options> further_reports(const check_options& options)
{
    std::vector<output_options> reports;
    for (const std::string& text : options.reports) {
        const std::size_t at = std::min(text.find('='), text.size());
        output_options report = options.output;
        report.format = text.substr(0, at);
        report.file.path = text.substr(std::min(at + 1, text.size()));
        if (report.format == "baseline" && !options.input.typed.kernel.empty())
            throw error("a baseline has all kernels, and --kernel selects some", "leave one of the two out");
        const bool known = std::ranges::find(check_formats, report.format) != check_formats.end();
        if (known && report.file.path == "-")
            throw error("--report writes to files, and " + escape_for_terminal(text) + " names standard output",
                        "name a file, such as --report markdown=kernels.md");
        if (!known || !report.file.is_file())
            throw error("--report " + escape_for_terminal(text) + " is not FORMAT=FILE",
                        fmt::format("such as --report markdown=kernels.md; the formats are {}",
                                    fmt::join(check_formats, ", ")));
        reports.push_back(std::move(report));
    }
    return reports;
}

output_file baseline_to_write(const check_options& options)
{
    return {.path = options.typed.baseline.empty() ? default_baseline : options.typed.baseline,
            .overwrite = options.output.file.overwrite};
}

exit_status run_check(const check_options& options, const call_context& context)
{
    if (options.write_baseline) check_output(baseline_to_write(options));
    refuse_input(options.output.file);
    const std::vector<output_options> reports = further_reports(options);
    for (const output_options& report : reports) refuse_input(report.file);
    const check_request request = request_of(options, context);
    check_references given;
    if (!options.write_baseline) given = read_references(request);  // finds mistakes in them before compiling
    for (const std::string& wrong : given.errors) say(wrong);
    if (!given.errors.empty()) return exit_status::bad_input;
    check_output(options.output.file);  // which may be one of the references
    for (const output_options& report : reports) check_output(report.file);
    catch_interrupts();
    checked_files files = read_checked_kernels(request, terminal_listener());
    if (options.write_baseline) return write_baseline(options, files);
    check_files(request, given, files);
    return show_check(options, std::move(files));
}

// git understands 125 as "cannot be tested", 1 to 124 as "bad", and more than 127 ends the search.
exit_status run_for_bisect(const check_options& options, const call_context& context)
{
    exit_status status = exit_status::untestable;
    try {
        status = run_check(options, context);
    } catch (const error& failure) {
        say(std::string(failure.what()) + (failure.hint().empty() ? "" : "; " + failure.hint()));
    }
    if (status == exit_status::interrupted) return static_cast<exit_status>(130);
    return status == exit_status::done || status == exit_status::check_failed ? status : exit_status::untestable;
}

}  // namespace

void add_check(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("check", "Check kernels against a budget and against an earlier build");
    auto options = std::make_shared<check_options>();
    options->input.add_to(*verb, true);
    options->input.add_dynamic_shared(*verb);
    CLI::Option* budget_option =
        verb->add_option("--budget", options->typed.budget,
                         "The limits, a TOML file; default: launchbox.budget.toml if it exists")
            ->type_name("FILE");
    verb->add_option("--baseline", options->typed.baseline,
                     "The figures of an earlier build; default: launchbox.baseline if it exists")
        ->type_name("FILE");
    CLI::Option* write = verb->add_flag("--write-baseline", options->write_baseline,
                                        "Write the figures of this build into the baseline; checks nothing");
    CLI::Option* allow_empty =
        verb->add_flag("--allow-empty", options->typed.allow_empty,
                       "Accept an input without a kernel to check, and a budget or baseline that checked nothing");
    CLI::Option* reserve =
        verb->add_option("--stack-reserve", options->stack_reserve,
                         "The most memory that the driver may reserve for stacks on any GPU: bytes, or 64M")
            ->type_name("SIZE");
    CLI::Option* size =
        verb->add_option("--size", options->size, "The most bytes of images in each file: bytes, or 300M")
            ->type_name("SIZE");
    verb->add_flag(
        "--bisect", options->bisect,
        "Exit with 125 if nothing can be checked, such as a source that does not compile: for git bisect run");
    options->output.add_to(*verb, more_formats);
    CLI::Option* report =
        verb->add_option("--report", options->reports,
                         "Write the findings to a file too, in another format: markdown=kernels.md; can be repeated")
            ->type_name("FORMAT=FILE")
            ->expected(1)
            ->take_all();
    for (CLI::Option* other : {budget_option, allow_empty, reserve, size, report}) write->excludes(other);
    for (const char* other : {"--kernel", "--format", "--output"}) write->excludes(verb->get_option(other));
    add_examples(*verb, "launchbox check tests/data/logs/basic_sm_90.log --budget examples/launchbox.budget.toml",
                 "launchbox check examples/merge.cu --arch sm_90 --baseline merge.baseline --write-baseline");
    verb->callback([options, &context] {
        context.for_bisect = options->bisect;
        context.action = [options, &context] {
            return options->bisect ? run_for_bisect(*options, context) : run_check(*options, context);
        };
    });
}

namespace {

exit_status write_baseline(const check_options& options, const checked_files& files)
{
    const kernel_input& input = files.input;
    const check_result& result = files.result;
    const output_file output = baseline_to_write(options);
    print_errors(input);
    if (input.status() != exit_status::done) {
        std::cerr << "launchbox: nothing was written, since some input could not be read\n";
        return input.status();
    }
    const std::string text = baseline_of(result);
    write_output(output, [&](std::ostream& out) { out << text; });
    if (!output.is_file()) return exit_status::done;
    const std::string count = with_commas(static_cast<std::int64_t>(result.kernels.size())) +
                              (result.kernels.size() == 1 ? " kernel × architecture" : " kernels × architectures");
    std::cout << escape_for_terminal(output.path) << ": "
              << (style_of_standard_output().unicode ? count : to_ascii(count)) << " written\n"
              << std::flush;
    if (!std::cout) throw error("cannot write to standard output", "is the disk full, or has the reader ended?");
    return exit_status::done;
}

void report_failures(const check_options& options, const check_result& result)
{
    const std::vector<std::string> failures = failures_of(result);
    for (std::size_t i = 0; i < std::min(failures.size(), max_failures_named); ++i) say(failures[i]);
    if (failures.size() > max_failures_named) say(fmt::format("… and {} more", failures.size() - max_failures_named));
    say(summary_of(result) + "; the report is in " + options.output.file.path);
}

exit_status show_check(const check_options& options, checked_files files)
{
    const kernel_input& input = files.input;
    const bool failed = files.result.failed();
    std::error_code failure;
    check_outcome outcome{std::move(files.result), input.inspected(), std::filesystem::current_path(failure).string(),
                          LAUNCHBOX_VERSION};
    const std::vector<output_options> reports = further_reports(options);
    outcome.keeps_figures =
        std::ranges::any_of(reports, [](const output_options& report) { return report.format == "baseline"; });
    report_forms forms;
    forms.page = [&](const output_style&) { return check_document(outcome); };
    forms.json = [&] { return check_json(outcome); };
    forms.rows = [&] { return check_table(outcome); };
    forms.others = {{"markdown", [&] { return check_markdown(outcome); }},
                    {"sarif", [&] { return check_sarif(outcome).dump(2) + '\n'; }},
                    {"junit", [&] { return check_junit(outcome); }},
                    {"github", [&] { return check_annotations(outcome); }}};
    forms.others["baseline"] = [&] { return baseline_of(outcome.result); };
    for (const output_options& report : reports) {
        // As with --write-baseline: kernels missing from a partial baseline would be new the next time.
        const bool half = input.status() != exit_status::done || outcome.result.kernels.empty();
        if (report.format == "baseline" && half)
            say(escape_for_terminal(report.file.path) + ": no baseline was written, since not all input could be read");
        else
            write_report(report, forms);
    }
    write_report(options.output, forms);
    print_errors(input);
    if (options.output.file.is_file() && failed)
        report_failures(options, outcome.result);
    else
        for (const unchecked_part& part : outcome.result.unchecked)
            if (!for_people(options.output.format, part)) say(unchecked_text(part));
    if (input.status() != exit_status::done) return input.status();
    if (outcome.result.has_idle_gate()) return exit_status::bad_input;
    return failed ? exit_status::check_failed : exit_status::done;
}

}  // namespace

}  // namespace launchbox::cli
