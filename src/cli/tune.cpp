// launchbox tune: measures the candidates of a spec and stores every result.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/init/init_spec.hpp"
#include "app/tuning/confirm_rows.hpp"
#include "app/tuning/replay_check.hpp"
#include "app/tuning/spec_sources.hpp"
#include "app/tuning/tune_call.hpp"
#include "app/tuning/tune_input.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/run_launchbox.hpp"
#include "cli/tune_messages.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "compiler/run/compile_cache.hpp"
#include "report/tune/build_report.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "support/files/read_files.hpp"
#include "support/process/interrupt.hpp"
#include "tune/search/search_strategy.hpp"

namespace launchbox::cli {

namespace fs = std::filesystem;

namespace {

struct tune_verb_options {
    tune_request typed;                                                   // filled by CLI11
    std::string file, budget, strategy, source, architecture, objective;  // as typed
    std::string init, kernel;                                             // the source to make a spec from
    std::string confirm, box;                                             // a header with rows, and its table
    std::vector<std::string> workloads, controls;
    bool no_cache = false, check = false, replay_check = false;
    output_options output;
};

// "200" means candidates; "90s", "10m", "1.5h" mean time.
void read_budget(const std::string& text, tune_options& options)
{
    if (text.empty()) return;
    const auto wrong = [&] {
        return error("--budget " + text + " is neither a number of candidates nor a time",
                     "write --budget 200, or --budget 90s, 10m, 1.5h");
    };
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit(end, text.data() + text.size());
    if (failure != std::errc() || !std::isfinite(number) || number <= 0 || number > 1e9) throw wrong();
    if (unit.empty()) {
        if (number != std::floor(number)) throw wrong();
        options.max_candidates = static_cast<std::size_t>(number);
    } else if (unit == "s" || unit == "m" || unit == "h") {
        options.max_seconds = number * (unit == "s" ? 1 : unit == "m" ? 60 : 3600);
    } else {
        throw wrong();
    }
}

std::string default_store(const std::string& spec)
{
    std::string name = fs::path(spec).stem().string();
    if (spec.starts_with("cub:")) std::ranges::replace(name, ':', '.');
    return name + ".db";
}

// The first reason, for users who read nothing else.
std::string first_failure(const std::vector<build_report>& reports)
{
    for (const build_report& report : reports)
        for (const built_candidate& candidate : report.candidates)
            if (!candidate.build.reason.empty())
                return fmt::format(": {}: {}", words_of(candidate.build.status), candidate.build.reason);
    return {};
}

exit_status write_first_spec(const tune_verb_options& options, const call_context& context)
{
    if (context.elsewhere != nullptr)
        throw error("--init writes one file, which needs no ranks", "use launchbox tune --init");
    if (!options.file.empty())
        throw error("--init writes a spec, and " + options.file + " is one already: both are given",
                    "leave one of them out");
    init_request request{.file = options.init,
                         .kernel = options.kernel,
                         .nvcc = options.typed.backends.builder.nvcc,
                         .compiler_flags = context.compiler_flags,
                         .no_cache = options.no_cache,
                         .written_to = options.output.file.path};
    if (!options.architecture.empty()) request.architecture = single_architecture(options.architecture, "--arch");
    note_read(options.init);
    check_output(options.output.file);
    const written_spec made = init_spec(request, terminal_listener());
    write_output(options.output.file, [&](std::ostream& out) { out << made.text; });
    if (const std::vector<std::string>& names = made.to_fill_in; !names.empty()) {
        constexpr std::size_t most = 8;
        const std::vector<std::string> some(names.begin(),
                                            names.begin() + std::ptrdiff_t(std::min(most, names.size())));
        say(fmt::format("the source does not show everything: fill in {}{}", fmt::join(some, ", "),
                        names.size() > most ? fmt::format(" and {} more", names.size() - most) : ""));
    }
    return exit_status::done;
}

tune_request request_of(const tune_verb_options& options, tune_spec spec, const call_context& context)
{
    tune_request request = options.typed;
    if (!options.source.empty()) take_source(spec, options.source);
    choose_workloads(spec, parse_value_filter(options.workloads, "--workload"));
    if (!options.objective.empty()) {
        spec.goal = objective(options.objective);
        check_objective(spec);
    }
    add_controls(spec, options.controls);
    request.spec = std::move(spec);
    if (request.store.empty()) request.store = default_store(options.file);
    if (!options.architecture.empty())
        request.backends.architecture = single_architecture(options.architecture, "--arch");
    request.backends.builder.cache_folder = options.no_cache ? fs::path{} : default_cache_folder();
    // --check needs neither GPU nor results.
    request.backends.build_only |= options.check;
    read_budget(options.budget, request.how);
    // Without a budget everything is measured, and the order hardly matters: use one in which no proposal waits for
    // results.
    request.how.strategy = !options.strategy.empty() ? options.strategy : options.budget.empty() ? "random" : "auto";
    if (context.elsewhere != nullptr && context.elsewhere->plan) request.plan = context.elsewhere->plan;
    request.command = context.command;
    request.version = LAUNCHBOX_VERSION;
    return request;
}

exit_status report_what_was_checked(const tune_call& call, const std::string& file)
{
    for (std::size_t i = 0; i < call.backends().size(); ++i) {
        const tune_backend& backend = call.backends()[i].backend;
        const bool all = !backend.arguments_are_known || backend.arguments_are_known();
        say(fmt::format("{}: {} × {} for {}: {}", file, plural(call.spaces()[i].size(), "candidate"),
                        plural(call.spec().workloads.size(), "workload"), backend.label,
                        all ? "expressions, files and arguments are correct"
                            : "expressions and files are correct; the arguments were not compared, since the source "
                              "does not show the kernel's parameters (--build-only compares them)"));
    }
    return exit_status::done;
}

exit_status show_built(const output_options& output, const tune_result& result)
{
    const std::vector<build_report>& built = result.built;
    write_report(output, {[&](const output_style&) { return build_document(built); }, [&] { return build_json(built); },
                          [&] { return build_table(built); }});
    const bool some = std::ranges::any_of(built, [](const build_report& report) {
        return std::ranges::any_of(report.candidates, [](const built_candidate& candidate) {
            return candidate.build.status == build_status::built;
        });
    });
    if (some || result.status != exit_status::done) return result.status;
    say("no candidate was built" + first_failure(built));
    return exit_status::check_failed;
}

exit_status show_measured(const output_options& output, const tune_call& call, const tune_result& result)
{
    results_report report = call.results_of(result);
    report.top = 5;
    report_forms forms;
    forms.page = [&](const output_style&) { return results_document(report); };
    forms.write_json = [&](std::ostream& out) { write_results_json(report, out); };
    forms.rows = [&] { return results_table(report); };
    write_report(output, forms);
    const auto is_measured = [](const stored_result& one) { return one.measured.status == outcome::measured; };
    const bool some = std::ranges::any_of(
        report.runs, [&](const shown_run& shown) { return std::ranges::any_of(shown.run.results, is_measured); });
    if (result.status == exit_status::interrupted) say("interrupted; " + call.store() + " has all finished results");
    if (some || result.status != exit_status::done) return result.status;
    say("no candidate was measured" + (result.first_failure.empty() ? std::string() : ": " + result.first_failure));
    return exit_status::check_failed;
}

// Whether each row is as good as the baseline on the GPU where it would be used.
exit_status show_confirmed(const output_options& output, const row_confirmation& confirmation, const tune_call& call,
                           const tune_result& result)
{
    const exit_status measured = output.format == "table" ? result.status : show_measured(output, call, result);
    if (result.status != exit_status::done) return result.status;
    bool all = measured == exit_status::done;
    const std::vector<row_confirmation::verdict> verdicts = confirmation.verdicts(call.results_of(result));
    for (const row_confirmation::verdict& one : verdicts) {
        for (const std::string& line : one.lines)
            if (output.format == "table")
                std::cout << shown(line) << '\n';
            else
                say(line);
        all = all && one.is_confirmed;
    }
    return all && !verdicts.empty() ? exit_status::done : exit_status::check_failed;
}

// --replay measures nothing, so nothing is kept or compiled.
void refuse_beside_replay(const tune_verb_options& options)
{
    const char* const other = !options.typed.store.empty()        ? "--store"
                              : options.typed.resume              ? "--resume"
                              : options.typed.backends.build_only ? "--build-only"
                              : options.replay_check              ? "--replay-check"
                                                                  : nullptr;
    if (other != nullptr)
        throw error(std::string("--replay measures nothing, and ") + other + " would have no effect",
                    "leave one of them out");
}

exit_status run_tune_verb(const tune_verb_options& options, const call_context& context)
{
    if (!options.init.empty()) return write_first_spec(options, context);
    if (!options.kernel.empty())
        throw error("-k chooses the kernel of --init, and there is no --init",
                    "launchbox tune --init gemm.cu -k sgemm");
    if (options.file.empty())
        throw error("SPEC is missing", "launchbox tune --init gemm.cu -k sgemm > gemm.toml writes one");
    if (!context.compiler_flags.empty())
        throw error("flags for the compiler follow -- only with --init", "a spec has flags of its own in [kernel]");
    if (context.elsewhere == nullptr && !options.typed.backends.replay.empty()) refuse_beside_replay(options);
    tune_request request = request_of(options, read_spec(options.file), context);
    if (context.elsewhere != nullptr && context.elsewhere->serve)
        return context.elsewhere->serve(request.spec, request.backends);
    if (options.replay_check)
        return check_replays(request.spec, request.backends.gpus,
                             [](const std::string& line) { std::cout << shown(line) << '\n'; });
    for (const std::string& file : files_of(request.spec))
        if (fs::is_regular_file(file)) note_read(file);
    std::optional<row_confirmation> confirmation;
    std::optional<temporary_directory> beside;
    if (!options.confirm.empty()) {
        note_read(options.confirm);
        if (options.typed.store.empty()) request.store = (beside.emplace().path() / "confirmed.db").string();
        confirmation.emplace(options.confirm, options.box, request.spec);
        request.only = [&confirmation](const tune_backend& backend) { return confirmation->candidates_on(backend); };
    }
    note_read(request.store);  // even if it is yet to be created
    check_output(options.output.file);
    tune_call call(std::move(request), terminal_tune_listener());
    if (options.check) return report_what_was_checked(call, options.file);
    check_output(options.output.file);  // again: the includes of the sources are known now
    catch_interrupts();
    const tune_result result = call.run();
    if (confirmation) return show_confirmed(options.output, *confirmation, call, result);
    return options.typed.backends.build_only ? show_built(options.output, result)
                                             : show_measured(options.output, call, result);
}

}  // namespace

void add_tune(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("tune", "Compile, check and time the candidates of a spec, and store all results");
    auto options = std::make_shared<tune_verb_options>();
    verb->add_option("SPEC", options->file,
                     "The spec (docs/tune_spec.md), or an algorithm of CUB: cub:scan; cub: lists them")
        ->type_name("");
    CLI::Option* const init =
        verb->add_option(
                "--init", options->init,
                "Write a spec for a kernel of this CUDA source, to standard output or -o; flags for nvcc follow --")
            ->type_name("SOURCE");
    verb->add_option("-k,--kernel", options->kernel,
                     "The kernel for --init, if the source has several: a name, or a pattern with * ?")
        ->type_name("PATTERN");
    verb->add_option("--store", options->typed.store, "The file of results; default: the spec's name with .db")
        ->type_name("FILE");
    verb->add_flag("--resume", options->typed.resume, "Continue the run in FILE; this is the default when FILE exists");
    verb->add_option("--budget", options->budget, "Stop after this many candidates (200) or this time (90s, 10m, 2h)")
        ->type_name("N|TIME");
    verb->add_option("--objective", options->objective,
                     "What to minimise, instead of the spec's objective: energy; time,energy; 'max tokens_per_s'; "
                     "'time where power <= 500' (docs/objectives.md); default: time")
        ->type_name("TEXT");
    std::vector<std::string> strategies;
    for (const strategy_description& search_strategy : search_strategies())
        strategies.emplace_back(search_strategy.name);
    verb->add_option("--strategy", options->strategy,
                     fmt::format("How candidates are chosen: {}; default: auto with a budget, else random",
                                 fmt::join(strategies, ", ")))
        ->check(one_of(strategies))
        ->type_name("NAME");
    verb->add_option(
            "--warm-start", options->typed.warm_start,
            "First try the best candidates of these results (from another GPU, size or type), or the rows of a header")
        ->type_name("FILE");
    verb->add_option("--confirm", options->confirm,
                     "Only measure whether this header's row for the GPU is as good as the baseline")
        ->type_name("HEADER");
    verb->add_option("--box", options->box,
                     "With --confirm: the table of the header, if its text does not name the spec")
        ->type_name("NAME")
        ->needs("--confirm");
    verb->add_option("--workload", options->workloads,
                     "Only these workloads of the spec, or other values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUES");
    verb->add_option("--controls", options->controls,
                     "Control files for ptxas (13.3 and later) as an additional parameter: files, or 'controls/*.acf'")
        ->type_name("FILE");
    verb->add_option("--gpu", options->typed.backends.gpus, "Only these GPUs, by number")
        ->delimiter(',')
        ->transform(whole_number(0, std::numeric_limits<int>::max()))
        ->type_name("N");
    verb->add_option("--arch", options->architecture, "Compile for this architecture instead of the GPU's own: sm_90a")
        ->type_name("ARCH");
    verb->add_option("--replay", options->typed.backends.replay, "Use these recorded results instead of measuring")
        ->type_name("FILE");
    verb->add_flag("--build-only", options->typed.backends.build_only,
                   "Compile and screen all candidates, but measure none");
    verb->add_flag("--check", options->check,
                   "Only check the spec: expressions with all candidates, files, arguments; compile nothing");
    verb->add_option("--source", options->source,
                     "Compile the kernel of a captured launch from this file, instead of using the captured module")
        ->type_name("FILE");
    verb->add_flag(
        "--replay-check", options->replay_check,
        "Only replay a captured launch (launchbox capture -k), and compare every byte with the program's result");
    verb->add_option("--compiler", options->typed.backends.builder.compiler, "nvrtc or nvcc, instead of the spec's")
        ->check(one_of({"nvrtc", "nvcc"}))
        ->type_name("NAME");
    verb->add_option("--nvcc", options->typed.backends.builder.nvcc, "The compiler, or the folder of its toolkit")
        ->type_name("PATH");
    verb->add_option("-j,--jobs", options->typed.backends.builder.jobs, "Compilers at once; default: one per core")
        ->transform(whole_number(0, 1024))
        ->type_name("N");
    verb->add_option("--seed", options->typed.how.seed, "Seed of the search; the same seed gives the same proposals")
        ->transform(whole_number(0))
        ->type_name("N");
    verb->add_flag("--no-cache", options->no_cache, "Compile everything again");
    options->output.add_to(*verb);
    // It measures two candidates, whatever is in the spec.
    for (const char* other : {"--build-only", "--check", "--replay-check", "--budget", "--strategy", "--warm-start"})
        verb->get_option("--confirm")->excludes(verb->get_option(other));
    // All other options are about candidates, which do not exist yet.
    const std::vector<std::string> with_init{"--init",     "--kernel", "--arch",      "--nvcc",
                                             "--no-cache", "--output", "--overwrite", "--help"};
    for (CLI::Option* option : verb->get_options())
        for (const std::string& name : option->get_lnames())
            if (std::ranges::find(with_init, "--" + name) == with_init.end()) init->excludes(option);
    if (context.elsewhere != nullptr) context.elsewhere->add_options(*verb);
    if (context.elsewhere != nullptr)
        add_examples(*verb, "mpirun -n 9 launchbox-mpi tune spec.toml --store run.db",
                     "srun --ntasks-per-node=4 --gpus-per-task=1 launchbox-mpi tune spec.toml --store run.db");
    else
        add_examples(*verb, "launchbox tune examples/block_sort/block_sort.toml --build-only --arch sm_90 --budget 2",
                     "launchbox tune examples/block_sort/block_sort.toml --replay "
                     "measurements/nvidia-h200/tune_block_sort.json");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_tune_verb(*options, context); }; });
}

}  // namespace launchbox::cli
