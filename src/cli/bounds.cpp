// launchbox bounds: the launch bound to write, found by compiling with every one that can make a difference.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advice/bounds/bound_backup.hpp"
#include "advice/bounds/unified_diff.hpp"
#include "app/bounds/bound_edits.hpp"
#include "app/bounds/source_bounds.hpp"
#include "app/sizes.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/source_options.hpp"
#include "cli/verbs.hpp"
#include "report/bounds/bounds_report.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

struct bounds_options {
    source_options source;
    benchmark_request benchmark;  // what CLI11 reads
    std::string measure, build;   // as typed
    bool all = false, apply = false, revert = false;
    output_options output;
};

benchmark_command parse_command(const std::string& text)
{
    benchmark_command command{.text = text, .words = {}};
    if (text.empty()) return command;
    command.words = command_words(text);
    (void)mentions(command.words, "program");  // throws where braces are not well formed
    return command;
}

source_bounds_request request_of(const bounds_options& options, const call_context& context)
{
    source_bounds_request request = options.source.request(context);
    request.whole = options.all || options.apply;  // what is edited is found by compiling
    if (options.measure.empty()) return request;
    request.measure = options.benchmark;
    request.measure->run = parse_command(options.measure);
    request.measure->build = parse_command(options.build);
    return request;
}

exit_status apply_bounds(const bounds_options& options, const source_bounds& found)
{
    const std::string& source = options.source.typed.file;
    const edited_source edited = edit_bounds(source, found.text, found.trials, found.report.answers);
    for (const edit_remark& remark : edited.remarks) {
        say(remark.text);
        for (const std::string& line : remark.to_paste) std::cerr << "    " << shown(line) << '\n';
    }
    if (edited.text != found.text) {
        const bool quiet = options.output.format != "table" || options.output.file.is_file();
        (quiet ? std::cerr : std::cout) << '\n' << unified_diff(found.text, edited.text, source) << std::flush;
        const bool others = has_other_names(source);
        const std::filesystem::path backup = apply_edit(source, found.text, edited.text, say);
        if (others) report_other_names(source);
        say("written into " + source + "; the old text is in " + backup.string() + ", and --revert restores it");
    }
    return edited.refused ? exit_status::bad_input : exit_status::done;
}

exit_status revert_bounds(const std::string& source)
{
    const std::filesystem::path backup = revert_edit(source, say);
    say(source + " is restored from " + backup.string());
    return exit_status::done;
}

exit_status run_bounds(const bounds_options& options, const call_context& context)
{
    if (options.revert) return revert_bounds(options.source.typed.file);
    check_output(options.output.file);
    const source_bounds_request request = request_of(options, context);
    catch_interrupts();
    const source_bounds found = find_bounds(request, terminal_listener());
    if (found.interrupted) say("interrupted; the finished part is shown");
    write_report(options.output,
                 {[&](const output_style& style) { return bounds_document(found.report, style); },
                  [&] { return bounds_json(found.report); }, [&] { return bounds_table(found.report); }});
    if (found.interrupted) return exit_status::interrupted;
    if (options.apply)
        if (const exit_status applied = apply_bounds(options, found); applied != exit_status::done) return applied;
    return found.status;
}

void add_measuring(CLI::App& app, bounds_options& options)
{
    CLI::Option* measure = app.add_option("--measure", options.measure,
                                          "Your benchmark, run with every bound of the Pareto set; {program}: the "
                                          "program built from FILE with that bound")
                               ->type_name("COMMAND");
    app.add_option("--build", options.build,
                   "Command that builds your benchmark; run for every bound, which nvcc in it applies without an edit "
                   "of the source")
        ->needs(measure)
        ->type_name("COMMAND");
    app.add_option("--runs", options.benchmark.runs, "Runs of every bound, in turns; a confidence interval needs 6")
        ->needs(measure)
        ->check(CLI::Range(1, 10000))
        ->type_name("N");
    app.add_option("--time-limit", options.benchmark.time_limit, "Seconds after which a run counts as failed")
        ->needs(measure)
        ->check(CLI::Range(0.001, 1e6))
        ->type_name("SECONDS");
}

}  // namespace

void add_bounds(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "bounds", "Find the launch bound to write, by compiling with each one that can make a difference");
    auto options = std::make_shared<bounds_options>();
    options->source.add_to(*verb);
    add_measuring(*verb, *options);
    CLI::Option* apply = verb->add_flag("--apply", options->apply, "Show the change and write the bound into FILE");
    verb->add_flag("--revert", options->revert, "Undo the last --apply")->excludes(apply);
    verb->add_flag("--all", options->all,
                   "Compile the source with every bound, and show all rows; else only what the answer rests on");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox bounds examples/merge.cu --arch sm_90 --kernel 'merge_tiles_greedy*'",
                 "launchbox bounds examples/merge.cu --arch sm_90 --kernel 'merge_tiles_greedy*' --format csv");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_bounds(*options, context); }; });
}

}  // namespace launchbox::cli
