// launchbox tune: measures the candidates of a spec and keeps every result.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/tune_input.hpp"
#include "cli/tune_backends.hpp"
#include "cli/verbs.hpp"
#include "compiler/compile_cache.hpp"
#include "report/build_report.hpp"
#include "report/results_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "tune/search/search_strategy.hpp"
#include "tune/run/tune_run.hpp"
#include "tune/space/task_hash.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox::cli {

namespace fs = std::filesystem;

namespace {

struct tune_verb_options {
    std::string file, store, budget, search, write_spec;
    std::vector<std::string> workloads, warm_start;
    lane_request lanes;
    std::uint64_t seed = 1;
    bool resume = false, no_cache = false;
    output_options output;
};

// "200" is candidates; "90s", "10m", "1.5h" is time.
void read_budget(const std::string& text, tune_options& options)
{
    if (text.empty()) return;
    const error wrong("--budget " + text + " is neither a number of candidates nor a time",
                      "write --budget 200, or --budget 90s, 10m, 1.5h");
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit(end, text.data() + text.size());
    if (failure != std::errc() || !std::isfinite(number) || number <= 0 || number > 1e9) throw wrong;
    if (unit.empty()) {
        if (number != std::floor(number)) throw wrong;
        options.most_candidates = static_cast<std::size_t>(number);
    } else if (unit == "s" || unit == "m" || unit == "h") {
        options.most_seconds = number * (unit == "s" ? 1 : unit == "m" ? 60 : 3600);
    } else {
        throw wrong;
    }
}

std::string plural(std::size_t count, const std::string& what)
{
    return with_commas(static_cast<std::int64_t>(count)) + " " + what + (count == 1 ? "" : "s");
}

// Why there is nothing to do, before any work.
void refuse_empty(const tune_spec& spec, const search_space& space)
{
    if (space.size() > 0) return;
    std::string most;
    std::uint64_t turned_away = 0;
    for (const auto& [constraint, count] : space.turned_away())
        if (count > turned_away) {
            turned_away = count;
            most = constraint;
        }
    throw error(fmt::format("{}: none of the {:.0f} points of the space satisfies the constraints", spec.file,
                            space.raw_size()),
                most.empty() ? "widen the lists of values" : "most are turned away by: " + most);
}

void check_baseline(const tune_spec& spec, const search_space& space)
{
    if (!spec.baseline) return;
    if (const std::string why = space.why_not(*spec.baseline); !why.empty())
        throw error(fmt::format("{}: the baseline ({}) is no candidate: {}", spec.file, text_of(*spec.baseline), why),
                    "change the baseline or the constraint");
}

void say_what_it_cost(const tune_summary& summary, const tune_lane& lane)
{
    std::string outcomes;
    for (const auto& [what, count] : summary.outcomes)
        outcomes += fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", with_commas(static_cast<std::int64_t>(count)),
                                what == outcome::measured && lane.measurers.empty() ? "built" : words_of(what));
    if (outcomes.empty()) outcomes = "nothing new";
    if (summary.shared > 0) outcomes += fmt::format("; {} of them with code that was measured already", summary.shared);
    say(lane.recorded ? fmt::format("{}: {:.1f} s of compiling and measuring then: {}", lane.label,
                                    summary.recorded_seconds, outcomes)
                      : fmt::format("{}: {:.1f} s: {}", lane.label, summary.seconds, outcomes));
    if (summary.measured == 0 || lane.recorded) return;
    const double share = summary.measuring_seconds / summary.seconds / static_cast<double>(lane.measurers.size());
    const std::string idle = lane.alone ? "" : fmt::format(", idle {:.0f} %", 100 * (1 - share));
    say(fmt::format(
        "compiling took {:.1f} s on {} processes; measuring {:.1f} s ({:.0f} % of the time{}), of it samples {:.1f} s",
        summary.compile_seconds, lane.preparers, summary.measuring_seconds, 100 * share, idle, summary.sample_seconds));
}

// The runs of this call, as `results` shows them. `name`: where the user finds them.
void show_results(const output_options& output, const std::string& file, const std::string& name,
                  const std::vector<std::int64_t>& runs)
{
    results_report report;
    report.top = 5;
    result_file read = read_result_file(file);
    report.problems = std::move(read.problems);
    for (recorded_run& each : read.runs)
        if (std::ranges::find(runs, each.number) != runs.end()) {
            shown_run& shown = report.runs.emplace_back(shown_run{name, std::move(each), {}});
            shown.rankings = rank(shown.run.results, shown.run.races, shown.run.info.baseline);
        }
    report_forms forms;
    forms.page = [&](const output_style&) { return results_document(report); };
    forms.write_json = [&](std::ostream& out) { write_results_json(report, out); };
    forms.rows = [&] { return results_table(report); };
    write_report(output, forms);
}

exit_status run_tune_verb(tune_verb_options options, const std::string& command)
{
    const std::optional<tune_spec> read = read_spec(options.file, options.write_spec);
    if (!read) return exit_status::done;
    tune_spec spec = *read;
    for (const std::string& each : options.workloads) choose_workloads(spec, each);
    tune_options how{.workloads = {}, .seed = options.seed};
    read_budget(options.budget, how);
    // Without a budget everything is measured, and the order matters little: then no proposal waits for an answer.
    how.search = !options.search.empty() ? options.search : options.budget.empty() ? "random" : "auto";
    for (std::size_t i = 0; i < spec.workloads.size(); ++i) how.workloads.push_back(i);
    if (options.store.empty()) options.store = fs::path(options.file).stem().string() + ".db";
    if (options.resume && !fs::exists(options.store))
        throw error("there is no " + options.store + " to resume", "leave --resume out, or name the file with --store");

    const std::vector<assignment> warm = warm_candidates(spec, options.warm_start);
    const temporary_directory folder;
    options.lanes.folder = folder.path();
    options.lanes.builder.cache_folder = options.no_cache ? fs::path{} : default_cache_folder();
    const planned_lanes planned = plan_lanes(spec, options.lanes);
    std::vector<search_space> spaces;
    for (const planned_lane& each : planned.lanes) {
        spaces.emplace_back(spec, each.limits);
        refuse_empty(spec, spaces.back());
        check_baseline(spec, spaces.back());
    }

    catch_interrupts();
    // A record that is replayed leaves nothing behind unless a store is asked for; neither does what only builds.
    const bool keeps = options.lanes.replay.empty() && !options.lanes.build_only;
    const std::string file = keeps ? options.store : (folder.path() / "replay.db").string();
    result_store store(file);
    std::vector<std::int64_t> runs;
    std::vector<build_report> built;
    exit_status status = exit_status::done;
    for (std::size_t i = 0; i < planned.lanes.size() && !interrupted(); ++i) {
        const tune_lane& lane = planned.lanes[i].lane;
        const search_space& space = spaces[i];
        say(fmt::format("{} on {}: {:.0f} points, {} x {}{}", spec.name, lane.label, space.raw_size(),
                        plural(space.size(), "candidate"), plural(spec.workloads.size(), "workload"),
                        keeps ? ", kept in " + file : ""));
        how.first = warm_start_in(spec, space, warm);
        const run_info run{.name = spec.name,
                           .spec_text = spec.text,
                           .spec_hash = key_of({spec.text}),
                           .task_hash = task_hash(spec, space),
                           .source_hash = lane.source_hash,
                           .command = command,
                           .version = LAUNCHBOX_VERSION,
                           .started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
                           .environment = lane.environment,
                           .baseline = spec.baseline};
        progress_line line("results");
        const tune_summary summary = run_tune(spec, space, lane, store, run, how, [&](const tune_progress& now) {
            line.show(fmt::format(
                          "{} on {}, {}{}", spec.name, lane.label, now.doing,
                          now.best_ns > 0 ? fmt::format(", best {:.4g} ms with {}", now.best_ns * 1e-6, now.best) : ""),
                      now.done, now.total);
        });
        line.clear();
        runs.push_back(summary.run);
        built.push_back({.name = spec.name, .architecture = lane.environment.architecture, .results = summary.built});
        say_what_it_cost(summary, lane);
        if (!summary.device_lost.empty()) {
            say("the GPU is lost: " + summary.device_lost + "; what was measured is kept in " + file);
            status = exit_status::missing;
        }
        if (summary.out_of_budget)
            say(keeps ? "the budget is spent; the same command goes on where it stopped" : "the budget is spent");
        if (summary.interrupted) status = exit_status::interrupted;
    }
    if (options.lanes.build_only) {
        write_report(options.output, {[&](const output_style&) { return build_document(built); },
                                      [&] { return build_json(built); }, [&] { return build_table(built); }});
        return status;
    }
    show_results(options.output, file, keeps ? file : options.lanes.replay, runs);
    if (status == exit_status::interrupted) say("interrupted; " + file + " has all that was finished");
    return status;
}

}  // namespace

void add_tune(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("tune", "Measure the candidates of a spec on the GPUs here, and keep all results");
    auto options = std::make_shared<tune_verb_options>();
    verb->add_option("SPEC", options->file, "What is to be tuned (docs/tune_spec.md), or a T1 problem (docs/t1.md)")
        ->required()
        ->type_name("");
    verb->add_option("--write-spec", options->write_spec,
                     "Write the spec that is made of a T1 problem, - for standard output, and stop")
        ->type_name("FILE");
    verb->add_option("--store", options->store, "The file of results; the spec's name with .db")->type_name("FILE");
    verb->add_flag("--resume", options->resume, "Go on where FILE stopped; this is done anyway when FILE exists");
    verb->add_option("--budget", options->budget, "Stop after so many candidates (200) or so much time (90s, 10m, 2h)")
        ->type_name("N|TIME");
    std::vector<std::string> strategies;
    for (const strategy_description& each : search_strategies()) strategies.emplace_back(each.name);
    verb->add_option("--search", options->search,
                     fmt::format("How candidates are chosen: {}; without it auto where there is a budget, else random",
                                 fmt::join(strategies, ", ")))
        ->check(CLI::IsMember(strategies))
        ->type_name("NAME");
    verb->add_option("--warm-start", options->warm_start,
                     "Try first what was best in these results (of another GPU, size or type), or a header's rows")
        ->type_name("FILE");
    verb->add_option("--workload", options->workloads,
                     "Only these of the spec's, or other values instead: n=1e8 or type=int,double")
        ->type_name("NAME=VALUES");
    verb->add_option("--gpu", options->lanes.gpus, "Only these GPUs, by their numbers")->delimiter(',')->type_name("N");
    verb->add_option("--arch", options->lanes.architecture, "Compile for this instead of the GPU's own: sm_90a")
        ->type_name("ARCH");
    verb->add_option("--replay", options->lanes.replay, "Answer with these recorded results instead of measuring")
        ->type_name("FILE");
    verb->add_flag("--build-only", options->lanes.build_only, "Compile and screen all candidates, and measure none");
    verb->add_option("--compiler", options->lanes.builder.compiler, "nvrtc or nvcc, instead of the spec's")
        ->check(CLI::IsMember({"nvrtc", "nvcc"}))
        ->type_name("NAME");
    verb->add_option("--nvcc", options->lanes.builder.nvcc, "The compiler, or the folder of its toolkit")
        ->type_name("PATH");
    verb->add_option("-j,--jobs", options->lanes.builder.jobs, "Compilers at once; as many as there are cores")
        ->type_name("N");
    verb->add_option("--seed", options->seed, "Of the search: the same seed proposes the same")->type_name("N");
    verb->add_flag("--no-cache", options->no_cache, "Compile anew what was compiled before");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox tune examples/block_sort/block_sort.toml --build-only --arch sm_90 --budget 2",
                 "launchbox tune examples/block_sort/block_sort.toml --replay "
                 "measurements/nvidia-h200/tune_block_sort.json");
    verb->callback([options, &context] {
        context.action = [options, &context] { return run_tune_verb(*options, context.command); };
    });
}

}  // namespace launchbox::cli
