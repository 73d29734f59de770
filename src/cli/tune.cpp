// launchbox tune: measures the candidates of a spec and keeps every result.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "capture/folder/captured_launch.hpp"
#include "cli/fleet_progress.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/replay_check.hpp"
#include "cli/tune_backends.hpp"
#include "cli/tune_input.hpp"
#include "cli/verbs.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/nvcc_run.hpp"
#include "image/names/demangle.hpp"
#include "report/tune/build_report.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/read_files.hpp"
#include "support/process/clock.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/thread_group.hpp"
#include "tune/backend/captured_module.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/run/tune_run.hpp"
#include "tune/search/search_strategy.hpp"
#include "tune/space/task_hash.hpp"

namespace launchbox::cli {

namespace fs = std::filesystem;

namespace {

struct tune_verb_options {
    std::string file, store, budget, search, write_spec, source;
    std::vector<std::string> workloads, warm_start;
    backend_request backends;
    std::uint64_t seed = 1;
    bool resume = false, no_cache = false, check = false, replay_check = false;
    output_options output;
    const tune_elsewhere* elsewhere = nullptr;
};

// "200" is candidates; "90s", "10m", "1.5h" is time.
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

std::string plural(std::size_t count, const std::string& what)
{
    return with_commas(static_cast<std::int64_t>(count)) + " " + what + (count == 1 ? "" : "s");
}

// Of a captured launch: its data, and kernels that are compiled.
void take_source(tune_spec& spec, const std::string& source)
{
    if (!spec.kernel || spec.kernel->capture.empty())
        throw error("--source " + source + ": " + spec.file + " has no captured launch",
                    "write source into its [kernel]");
    if (!fs::is_regular_file(source)) throw error("there is no file " + source, "name the file that has the kernel");
    spec.kernel->source = fs::absolute(source).lexically_normal().string();
    if (!spec.kernel->name.empty()) return;
    const std::string kernel = read_capture(capture_files(spec).front()).kernel;
    spec.kernel->name = is_ptx_source(source) ? kernel : short_name(demangle(kernel));
}

// Why there is nothing to do, before any work.
void refuse_empty(const tune_spec& spec, const search_space& space)
{
    if (space.size() > 0) return;
    std::string strictest;
    std::uint64_t turned_away = 0;
    for (const auto& [constraint, count] : space.turned_away())
        if (count > turned_away) {
            turned_away = count;
            strictest = constraint;
        }
    throw error(fmt::format("{}: none of the {:.0f} points of the space satisfies the constraints", spec.file,
                            space.raw_size()),
                strictest.empty() ? "widen the lists of values" : "most are turned away by: " + strictest);
}

void check_baseline(const tune_spec& spec, const search_space& space)
{
    if (!spec.baseline) return;
    if (const std::string why = space.why_not(*spec.baseline); !why.empty())
        throw error(fmt::format("{}: the baseline ({}) is no candidate: {}", spec.file, text_of(*spec.baseline), why),
                    "change the baseline or the constraint");
}

// "12.3 s", "120 ms": what takes part in seconds may itself be thousandths.
std::string shortly(double seconds)
{
    return seconds >= 0.9995 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} ms", 1000 * seconds);
}

// `starting`: from the start of the call to the first thing that was done.
void say_what_it_cost(const tune_summary& summary, const tune_backend& backend, double starting)
{
    std::string outcomes;
    const auto add = [&](std::size_t count, std::string_view words) {
        outcomes +=
            fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", with_commas(static_cast<std::int64_t>(count)), words);
    };
    for (const auto& [what, count] : summary.outcomes) add(count, words_of(what));
    for (const auto& [status, count] : summary.builds) add(count, words_of(status));
    if (outcomes.empty()) outcomes = "nothing new";
    if (summary.shared > 0) outcomes += fmt::format("; {} of them with code that was measured already", summary.shared);
    say(backend.recorded ? fmt::format("{}: {:.1f} s of compiling and measuring then: {}", backend.label,
                                       summary.recorded_seconds, outcomes)
                         : fmt::format("{}: {:.1f} s: {}", backend.label, summary.seconds, outcomes));
    if (summary.measured == 0 || backend.recorded) return;
    const auto measurers = static_cast<double>(backend.measurers.size());
    const double searching = std::max(summary.seconds - summary.race_seconds, 1e-9);
    const double busy = summary.measuring_seconds / searching / measurers;
    say(fmt::format("{} to start, {} of search, {} of final race; compiling took {} on {}", shortly(starting),
                    shortly(searching), shortly(summary.race_seconds), shortly(summary.compile_seconds),
                    plural(backend.preparers, "core")));
    std::string phases;
    if (const phase_seconds& in = summary.phases; in != phase_seconds{}) {
        const double rest =
            summary.measuring_seconds - (in.reference + in.load + in.prepare + in.verify + in.time + in.check);
        // Where it is nothing there was no program.
        const std::string reference =
            in.reference < 0.001 ? "" : fmt::format("{} waiting for the reference, ", shortly(in.reference));
        phases = fmt::format(
            ": {}{} loading modules, {} preparing buffers, {} first launches and comparison, {} timing, {} "
            "checking, {} starting processes and asking them",
            reference, shortly(in.load), shortly(in.prepare), shortly(in.verify), shortly(in.time), shortly(in.check),
            shortly(std::max(rest, 0.0)));
    }
    say(fmt::format("measuring took {}, {:.0f} % of the search{}; samples are {} of it",
                    shortly(summary.measuring_seconds), 100 * busy, phases, shortly(summary.sample_seconds)));
}

// In the order of the spec, whichever was measured first; others that the run has come after them.
void sort_by_spec(std::vector<ranking>& rankings, const std::vector<workload>& workloads)
{
    std::ranges::stable_sort(rankings, {}, [&](const ranking& one) {
        return std::ranges::find(workloads, one.workload, &workload::values) - workloads.begin();
    });
}

// The runs of this call, as `results` shows them. `name`: where the user finds them.
// False: nothing of them was measured.
bool show_results(const output_options& output, const std::string& file, const std::string& name,
                  const std::vector<workload>& workloads, const std::vector<std::int64_t>& runs)
{
    results_report report;
    report.top = 5;
    result_file read = read_result_file(file);
    report.diagnostics = std::move(read.diagnostics);
    for (recorded_run& run : read.runs)
        if (std::ranges::find(runs, run.number) != runs.end()) {
            shown_run& shown = report.runs.emplace_back(shown_run{name, std::move(run), {}});
            shown.rankings = rank(shown.run.results, shown.run.races, shown.run.info.baseline);
            sort_by_spec(shown.rankings, workloads);
        }
    report_forms forms;
    forms.page = [&](const output_style&) { return results_document(report); };
    forms.write_json = [&](std::ostream& out) { write_results_json(report, out); };
    forms.rows = [&] { return results_table(report); };
    write_report(output, forms);
    const auto is_measured = [](const stored_result& result) { return result.measured.what == outcome::measured; };
    return std::ranges::any_of(
        report.runs, [&](const shown_run& shown) { return std::ranges::any_of(shown.run.results, is_measured); });
}

// The first reason, for whoever looks at nothing else.
std::string first_failure(const std::vector<build_report>& reports)
{
    for (const build_report& report : reports)
        for (const built_candidate& candidate : report.candidates)
            if (!candidate.reason.empty()) return fmt::format(": {}: {}", words_of(candidate.status), candidate.reason);
    return {};
}

std::string default_store(const std::string& spec)
{
    return fs::path(spec).stem().string() + ".db";
}

// That the spec names, from here.
std::vector<std::string> files_of(const tune_spec& spec)
{
    std::vector<std::string> files;
    const auto add = [&](const std::string& name) {
        if (!name.empty()) files.push_back((fs::path(spec.folder) / name).string());
    };
    if (spec.kernel) add(spec.kernel->source);
    if (spec.kernel)
        for (const std::string& source : spec.kernel->sources) add(source);
    if (spec.kernel && !spec.kernel->capture.empty())
        for (const workload& workload : spec.workloads) add(filled_in(spec.kernel->capture, workload.values));
    if (spec.kernel)
        for (const auto* list : {&spec.kernel->arguments, &spec.kernel->variables})
            for (const kernel_argument& argument : *list) add(argument.file);
    if (spec.program)
        for (const auto* words : {&spec.program->sources, &spec.program->build, &spec.program->run})
            for (const std::string& word : *words) add(word);
    for (const auto& [output, file] : spec.verify.files) add(file);
    return files;
}

tune_options options_of(const tune_verb_options& options, const tune_spec& spec)
{
    tune_options how{.workloads = {}, .seed = options.seed};
    read_budget(options.budget, how);
    // Without a budget everything is measured, and the order matters little: then no proposal waits for an answer.
    how.search = !options.search.empty() ? options.search : options.budget.empty() ? "random" : "auto";
    for (std::size_t i = 0; i < spec.workloads.size(); ++i) how.workloads.push_back(i);
    return how;
}

// One call of the verb: a run on each backend, one after the other, into one store.
class tune_call {
public:
    tune_call(tune_spec spec, tune_verb_options options, std::string command);
    exit_status run();
    exit_status say_what_was_checked() const;

private:
    void begin_on(const tune_backend& backend, const search_space& space) const;
    void run_one_after_the_other();
    void run_together();
    tune_summary measure(std::size_t place, const tune_options& how, result_store& store, fleet_progress& shown) const;
    void note(const tune_summary& summary, const tune_backend& backend);

    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    const tune_spec spec_;
    tune_verb_options options_;
    const std::string command_;
    tune_options how_;
    std::vector<assignment> warm_;
    const temporary_directory folder_;
    // A record that is replayed leaves nothing behind unless a store is asked for; neither does what only builds.
    bool keeps_ = false;
    std::string file_;
    planned_backends planned_;
    std::vector<search_space> spaces_;
    std::vector<std::int64_t> runs_;
    std::vector<build_report> built_;
    exit_status status_ = exit_status::done;
    std::string failure_;  // the first of a candidate
    double starting_seconds_ = 0;
};

tune_call::tune_call(tune_spec spec, tune_verb_options options, std::string command)
    : spec_(std::move(spec)),
      options_(std::move(options)),
      command_(std::move(command)),
      how_(options_of(options_, spec_)),
      keeps_(options_.backends.replay.empty() && !options_.backends.build_only)
{
    if (options_.store.empty()) options_.store = default_store(options_.file);
    if (options_.resume && !fs::exists(options_.store))
        throw error("there is no " + options_.store + " to resume",
                    "leave --resume out, or name the file with --store");
    file_ = keeps_ ? options_.store : (folder_.path() / "replay.db").string();
    warm_ = warm_candidates(spec_, options_.warm_start);
    options_.backends.folder = folder_.path();
    options_.backends.builder.cache_folder = options_.no_cache ? fs::path{} : default_cache_folder();
    planned_ = options_.elsewhere != nullptr ? options_.elsewhere->plan(spec_, options_.backends)
                                             : plan_backends(spec_, options_.backends);
    std::set<std::string> notes;  // several GPUs say the same
    for (const planned_backend& backend : planned_.backends) {
        spaces_.emplace_back(spec_, backend.limits);
        refuse_empty(spec_, spaces_.back());
        check_baseline(spec_, spaces_.back());
        spaces_.back().check_workload_constraints(spec_.workloads);
        if (backend.backend.check)
            for (const std::string& note : backend.backend.check(spaces_.back()))
                if (notes.insert(note).second) say(note);
    }
}

exit_status tune_call::run()
{
    check_output(options_.output.file);  // once more: what the sources include is known now
    catch_interrupts();
    // Kinds of GPU do not wait for each other. What only builds, and the processor, has its machine to itself.
    const bool together = planned_.backends.size() > 1 && std::ranges::all_of(planned_.backends, [](const auto& each) {
                              return !each.backend.measurers.empty() && !each.backend.alone && !each.backend.recorded;
                          });
    if (together)
        run_together();
    else
        run_one_after_the_other();
    if (options_.backends.build_only) {
        write_report(options_.output, {[&](const output_style&) { return build_document(built_); },
                                       [&] { return build_json(built_); }, [&] { return build_table(built_); }});
        const bool some = std::ranges::any_of(built_, [](const build_report& report) {
            return std::ranges::any_of(report.candidates, [](const built_candidate& candidate) {
                return candidate.status == build_status::built;
            });
        });
        if (!some && status_ == exit_status::done) {
            say("no candidate was built" + first_failure(built_));
            status_ = exit_status::check_failed;
        }
        return status_;
    }
    const bool some =
        show_results(options_.output, file_, keeps_ ? file_ : options_.backends.replay, spec_.workloads, runs_);
    if (!some && status_ == exit_status::done) {
        say("no candidate was measured" + (failure_.empty() ? std::string() : ": " + failure_));
        status_ = exit_status::check_failed;
    }
    if (status_ == exit_status::interrupted) say("interrupted; " + file_ + " has all that was finished");
    return status_;
}

exit_status tune_call::say_what_was_checked() const
{
    for (std::size_t i = 0; i < planned_.backends.size(); ++i)
        say(fmt::format("{}: {} x {} for {}: nothing is wrong with expressions, files and arguments", options_.file,
                        plural(spaces_[i].size(), "candidate"), plural(spec_.workloads.size(), "workload"),
                        planned_.backends[i].backend.label));
    return exit_status::done;
}

void tune_call::begin_on(const tune_backend& backend, const search_space& space) const
{
    say(fmt::format("{} on {}: {:.0f} points, {} x {}{}", spec_.name, backend.label, space.raw_size(),
                    plural(space.size(), "candidate"), plural(spec_.workloads.size(), "workload"),
                    keeps_ ? ", kept in " + file_ : ""));
}

void tune_call::run_one_after_the_other()
{
    result_store store(file_);
    for (std::size_t i = 0; i < planned_.backends.size(); ++i) {
        if (interrupted()) {
            status_ = exit_status::interrupted;
            return;
        }
        const tune_backend& backend = planned_.backends[i].backend;
        begin_on(backend, spaces_[i]);
        how_.first = warm_start_in(spec_, spaces_[i], warm_);
        fleet_progress shown(spec_.name, 1);
        if (starting_seconds_ == 0) starting_seconds_ = seconds_since(begin_);
        const tune_summary summary = measure(i, how_, store, shown);
        shown.clear();
        note(summary, backend);
    }
}

// Each kind of GPU has a search of its own, and all go on until the last has ended: what one cannot do is no reason for
// the others to stop.
void tune_call::run_together()
{
    {
        const result_store made(file_);
    }  // by one
    std::vector<tune_options> how(planned_.backends.size(), how_);
    for (std::size_t i = 0; i < planned_.backends.size(); ++i) {
        begin_on(planned_.backends[i].backend, spaces_[i]);
        how[i].first = warm_start_in(spec_, spaces_[i], warm_);
    }
    // They share the compilers: what is being built is given up when the last has ended.
    std::atomic<std::size_t> running = planned_.backends.size();
    if (planned_.builder)
        for (planned_backend& planned : planned_.backends)
            planned.backend.give_up_preparing = [&running, give_up = planned.backend.give_up_preparing] {
                if (--running == 0 || interrupted()) give_up();
            };
    starting_seconds_ = seconds_since(begin_);
    std::vector<std::optional<tune_summary>> summaries(planned_.backends.size());
    std::vector<std::exception_ptr> failures(planned_.backends.size());
    fleet_progress shown(spec_.name, planned_.backends.size());
    {
        thread_group threads;
        for (std::size_t i = 0; i < planned_.backends.size(); ++i) {
            const auto measure_one = [&, i] {
                try {
                    result_store store(file_);
                    summaries[i] = measure(i, how[i], store, shown);
                } catch (...) {
                    failures[i] = std::current_exception();
                }
            };
            if (!threads.start(measure_one)) measure_one();
        }
    }
    shown.clear();
    for (std::size_t i = 0; i < planned_.backends.size(); ++i)
        if (summaries[i]) note(*summaries[i], planned_.backends[i].backend);
    const auto failed = std::ranges::find_if(failures, [](const std::exception_ptr& each) { return each != nullptr; });
    if (failed != failures.end()) std::rethrow_exception(*failed);
}

tune_summary tune_call::measure(std::size_t place, const tune_options& how, result_store& store,
                                fleet_progress& shown) const
{
    const tune_backend& backend = planned_.backends[place].backend;
    const search_space& space = spaces_[place];
    const run_info run{.name = spec_.name,
                       .spec_text = spec_.text,
                       .spec_hash = key_of({spec_.text}),
                       .task_hash = task_hash(spec_, space),
                       .source_hash = backend.source_hash,
                       .command = command_,
                       .version = LAUNCHBOX_VERSION,
                       .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                       .environment = backend.environment,
                       .baseline = spec_.baseline};
    return run_tune(spec_, space, backend, store, run, how,
                    [&](const tune_progress& now) { shown.show(place, backend.label, now); });
}

void tune_call::note(const tune_summary& summary, const tune_backend& backend)
{
    runs_.push_back(summary.run);
    built_.push_back(
        {.name = spec_.name, .architecture = backend.environment.architecture, .candidates = summary.built});
    say_what_it_cost(summary, backend, starting_seconds_);
    if (!summary.device_lost.empty()) {
        say("the GPU is lost: " + summary.device_lost + "; what was measured is kept in " + file_);
        status_ = exit_status::missing;
    }
    if (failure_.empty()) failure_ = summary.first_failure;
    for (const std::string& warning : summary.warnings) say("warning: " + warning);
    say_how_devices_compare(summary.devices);
    if (summary.left > 0) {
        say(fmt::format("the machine lacked something for {}, which the next call measures: {}",
                        plural(summary.left, "result"), summary.machine_failure));
        status_ = exit_status::missing;
    }
    if (summary.out_of_budget)
        say(keeps_ ? "the budget is spent; the same command goes on where it stopped" : "the budget is spent");
    if (summary.interrupted) status_ = exit_status::interrupted;
}

exit_status run_tune_verb(tune_verb_options options, const std::string& command)
{
    std::optional<tune_spec> spec = read_spec(options.file, {options.write_spec, options.output.file.overwrite});
    if (!spec) return exit_status::done;
    if (!options.source.empty()) take_source(*spec, options.source);
    choose_workloads(*spec, options.workloads);
    if (options.elsewhere != nullptr && options.elsewhere->serve) {
        options.backends.builder.cache_folder = options.no_cache ? fs::path{} : default_cache_folder();
        return options.elsewhere->serve(*spec, options.backends);
    }
    if (options.replay_check) return check_replays(*spec, options.backends.gpus);
    for (const std::string& file : files_of(*spec))
        if (fs::is_regular_file(file)) note_read(file);
    note_read(options.store.empty() ? default_store(options.file) : options.store);  // also where it is only to be made
    check_output(options.output.file);
    // What only checks needs neither GPU nor results.
    if (options.check) options.backends.build_only = true;
    tune_call call(*std::move(spec), options, command);
    return options.check ? call.say_what_was_checked() : call.run();
}

}  // namespace

void add_tune(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("tune", "Compile, check and time the candidates of a spec, and store all results");
    auto options = std::make_shared<tune_verb_options>();
    verb->add_option("SPEC", options->file, "The spec (docs/tune_spec.md), or a T1 file (docs/t1.md)")
        ->required()
        ->type_name("");
    verb->add_option("--write-spec", options->write_spec,
                     "Only translate a T1 file into a spec and write it; - for standard output")
        ->type_name("FILE");
    verb->add_option("--store", options->store, "The file of results; default: the spec's name with .db")
        ->type_name("FILE");
    verb->add_flag("--resume", options->resume, "Continue the run in FILE; this is the default when FILE exists");
    verb->add_option("--budget", options->budget, "Stop after so many candidates (200) or so much time (90s, 10m, 2h)")
        ->type_name("N|TIME");
    std::vector<std::string> strategies;
    for (const strategy_description& search_strategy : search_strategies())
        strategies.emplace_back(search_strategy.name);
    verb->add_option("--search", options->search,
                     fmt::format("How candidates are chosen: {}; default: auto with a budget, else random",
                                 fmt::join(strategies, ", ")))
        ->check(CLI::IsMember(strategies))
        ->type_name("NAME");
    verb->add_option(
            "--warm-start", options->warm_start,
            "Try first the best candidates of these results (of another GPU, size or type), or a header's rows")
        ->type_name("FILE");
    verb->add_option("--workload", options->workloads,
                     "Only these workloads of the spec, or other values: n=1e8,2e8 (either), type=int,n=1e8 (both)")
        ->type_name("NAME=VALUES");
    verb->add_option("--gpu", options->backends.gpus, "Only these GPUs, by their numbers")
        ->delimiter(',')
        ->type_name("N");
    verb->add_option("--arch", options->backends.architecture,
                     "Compile for this architecture instead of the GPU's own: sm_90a")
        ->type_name("ARCH");
    verb->add_option("--replay", options->backends.replay, "Use these recorded results instead of measuring")
        ->type_name("FILE");
    verb->add_flag("--build-only", options->backends.build_only, "Compile and screen all candidates, but measure none");
    verb->add_flag("--check", options->check,
                   "Only check the spec: expressions with all candidates, files, arguments; compile nothing");
    verb->add_option("--source", options->source,
                     "Compile the kernel of a captured launch from this file, instead of taking the captured module")
        ->type_name("FILE");
    verb->add_flag(
        "--replay-check", options->replay_check,
        "Only run a captured launch (launchbox capture -k) again, and compare every byte that it leaves with "
        "what the program got");
    verb->add_option("--compiler", options->backends.builder.compiler, "nvrtc or nvcc, instead of the spec's")
        ->check(CLI::IsMember({"nvrtc", "nvcc"}))
        ->type_name("NAME");
    verb->add_option("--nvcc", options->backends.builder.nvcc, "The compiler, or the folder of its toolkit")
        ->type_name("PATH");
    verb->add_option("-j,--jobs", options->backends.builder.jobs, "Compilers at once; default: one per core")
        ->type_name("N");
    verb->add_option("--seed", options->seed, "Seed of the search; the same seed gives the same proposals")
        ->type_name("N");
    verb->add_flag("--no-cache", options->no_cache, "Compile everything again");
    options->output.add_to(*verb);
    options->elsewhere = context.elsewhere;
    if (context.elsewhere != nullptr) context.elsewhere->add_options(*verb);
    if (context.elsewhere != nullptr)
        add_examples(*verb, "mpirun -n 9 launchbox-mpi tune spec.toml --store run.db",
                     "srun --ntasks-per-node=4 --gpus-per-task=1 launchbox-mpi tune spec.toml --store run.db");
    else
        add_examples(*verb, "launchbox tune examples/block_sort/block_sort.toml --build-only --arch sm_90 --budget 2",
                     "launchbox tune examples/block_sort/block_sort.toml --replay "
                     "measurements/nvidia-h200/tune_block_sort.json");
    verb->callback([options, &context] {
        context.action = [options, &context] { return run_tune_verb(*options, context.command); };
    });
}

}  // namespace launchbox::cli
