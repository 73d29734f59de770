// launchbox bounds: the launch bound to write, found by compiling with each one that may make a difference.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/bounds/bound_backup.hpp"
#include "advice/bounds/unified_diff.hpp"
#include "app/bounds/bound_edits.hpp"
#include "app/bounds/figure_bounds.hpp"
#include "app/bounds/folder_bounds.hpp"
#include "app/bounds/source_bounds.hpp"
#include "app/input/folder_files.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/source_options.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/bounds/bounds_report.hpp"
#include "report/bounds/register_limits_report.hpp"
#include "support/process/command_words.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

constexpr std::string_view options_of_figures[] = {"arch", "threads", "min-blocks", "format", "output", "overwrite"};

struct bounds_options {
    source_options source;
    benchmark_request benchmark;             // filled by CLI11
    std::string min_blocks, measure, build;  // as typed
    bool all = false, apply = false, revert = false;
    output_options output;
};

benchmark_command parse_command(const std::string& text)
{
    benchmark_command command{.text = text, .words = {}};
    if (text.empty()) return command;
    command.words = command_words(text);
    (void)mentions(command.words, "program");  // throws if braces are malformed
    return command;
}

source_bounds_request request_of(const bounds_options& options, const call_context& context)
{
    source_bounds_request request = options.source.request(context);
    request.whole = options.all || options.apply;  // an edit needs compiled results
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

// `bounds` without a source. Nearly all other options need one.
exit_status run_figure_bounds(const bounds_options& options, const CLI::App& verb, const call_context& context)
{
    for (const CLI::Option* option : verb.get_options())
        if (option->count() > 0 &&
            std::ranges::find(options_of_figures, option->get_lnames().front()) == std::end(options_of_figures))
            throw error("--" + option->get_lnames().front() + " needs a source",
                        "name the file: launchbox bounds FILE");
    if (!context.compiler_flags.empty())
        throw error("flags for the compiler need a source", "name the file: launchbox bounds FILE -- FLAGS");
    if (options.source.threads.empty())
        throw error("bounds needs a source or --threads",
                    "name a file, or add --threads 128 for the registers that launch bounds leave");
    check_output(options.output.file);
    constexpr int max_blocks = 1'000'000;  // far more than any SM holds: the answer tells what ptxas does with them
    const figure_bounds_request request{
        .architectures = architecture_list(options.source.architectures),
        .threads = parse_threads(options.source.threads),
        .min_blocks = parse_numbers(options.min_blocks, "--min-blocks", "number of blocks", max_blocks, "2,4")};
    const std::vector<register_limits> all = bounds_of_figures(request);
    write_report(options.output,
                 {[&](const output_style&) { return register_limits_document(all, !request.min_blocks.empty()); },
                  [&] { return register_limits_json(all); }, [&] { return register_limits_table(all); }});
    return exit_status::done;
}

// Refuses options that only apply to a single source.
void refuse_folder(const bounds_options& options)
{
    const char* what = options.apply              ? "--apply"
                       : options.revert           ? "--revert"
                       : !options.measure.empty() ? "--measure"
                                                  : nullptr;
    if (what != nullptr && is_folder(options.source.typed.file))
        throw error(std::string(what) + " needs one source, and " + options.source.typed.file + " is a folder",
                    "name one of its files");
}

exit_status run_bounds(const bounds_options& options, const CLI::App& verb, const call_context& context)
{
    if (verb.count("file") == 0) return run_figure_bounds(options, verb, context);
    if (!options.min_blocks.empty())
        throw error("--min-blocks is for bounds without a source: with one, every legal min_blocks is tried",
                    "leave out --min-blocks, or the file");
    refuse_folder(options);
    if (options.revert) return revert_bounds(options.source.typed.file);
    check_output(options.output.file);
    const source_bounds_request request = request_of(options, context);
    catch_interrupts();
    const source_bounds found = find_all_bounds(request, terminal_listener());
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
                   "Command that builds your benchmark, run for every bound; nvcc in it applies the bound without "
                   "editing the source")
        ->needs(measure)
        ->type_name("COMMAND");
    app.add_option("--runs", options.benchmark.runs, "Runs of every bound, in turns; a confidence interval needs 6")
        ->needs(measure)
        ->transform(whole_number(1, 10'000))
        ->type_name("N");
    app.add_option("--time-limit", options.benchmark.time_limit, "Seconds after which a run counts as failed")
        ->needs(measure)
        ->check(number(0.001, 1e6))
        ->type_name("SECONDS");
}

}  // namespace

void add_bounds(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "bounds", "Find the launch bound to write, by compiling with each one that can make a difference");
    auto options = std::make_shared<bounds_options>();
    options->source.add_to(*verb, file_option::optional);
    verb->add_option("--min-blocks", options->min_blocks,
                     "Without a source: the second launch bound; default: each that is legal")
        ->type_name("LIST");
    add_measuring(*verb, *options);
    CLI::Option* apply = verb->add_flag("--apply", options->apply, "Show the change and write the bound into FILE");
    verb->add_flag("--revert", options->revert, "Undo the last --apply")->excludes(apply);
    verb->add_flag("--all", options->all,
                   "Compile the source with every bound and show all rows; default: only the bounds that decide");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox bounds examples/merge.cu --arch sm_90 --kernel 'merge_tiles_greedy*'",
                 "launchbox bounds --arch all --threads 128 --min-blocks 7");
    verb->callback([options, verb, &context] {
        context.action = [options, verb, &context] { return run_bounds(*options, *verb, context); };
    });
}

}  // namespace launchbox::cli
