// launchbox bench-search: how good the search strategies are, by replay of recorded spaces.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>

#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/verbs.hpp"
#include "report/tune/search_bench_report.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox::cli {

namespace {

struct bench_options {
    std::vector<std::string> files, folders, strategies;
    output_options output;
    std::int64_t repeats = 100, max_evaluations = 1000;
    std::uint64_t seed = 1;
};

std::vector<std::string> strategies_wanted(const std::vector<std::string>& named);
std::vector<std::string> files_of(const bench_options& options, std::set<std::string>& from_folders);
void bench_file(const bench_options& options, const std::vector<std::string>& strategies, const std::string& file,
                const result_file& read, search_bench& bench, progress_line& line);

exit_status run_bench(const bench_options& options)
{
    check_output(options.output.file);
    const std::vector<std::string> strategies = strategies_wanted(options.strategies);
    std::set<std::string> from_folders;
    const std::vector<std::string> files = files_of(options, from_folders);
    search_bench bench{.repeats = static_cast<std::size_t>(options.repeats),
                       .max_evaluations = static_cast<std::size_t>(options.max_evaluations),
                       .seed = options.seed,
                       .workloads = {},
                       .notes = {}};
    exit_status status = exit_status::done;
    catch_interrupts();
    {
        progress_line line("searches");
        for (const std::string& file : files) {
            if (interrupted()) break;
            try {
                const result_file read = read_result_file(file);
                const std::size_t before = bench.workloads.size();
                bench_file(options, strategies, file, read, bench, line);
                if (bench.workloads.size() == before && !interrupted()) {
                    line.clear();
                    say(file + ": no candidate was measured");
                }
                bench.notes.insert(bench.notes.end(), read.diagnostics.begin(), read.diagnostics.end());
            } catch (const error& failure) {
                // A folder may hold other things too.
                line.clear();
                const std::string what = failure.what();
                say((what.find(file) == std::string::npos ? file + ": " : "") + what);
                if (!from_folders.contains(file)) status = failure.status();
            }
        }
    }
    bench.interrupted = interrupted();
    if (bench.interrupted) say("interrupted; what was finished is shown");
    if (bench.workloads.empty() && !bench.interrupted)
        throw error("no file holds a recorded space",
                    "name stores of launchbox tune, or what other tuners have recorded");
    write_report(options.output, {[&](const output_style&) { return search_bench_document(bench); },
                                  [&] { return search_bench_json(bench); }, [&] { return search_bench_table(bench); }});
    return bench.interrupted ? exit_status::interrupted : status;
}

}  // namespace

void add_bench_search(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("bench-search", "Compare the search strategies by replay of recorded runs");
    auto options = std::make_shared<bench_options>();
    verb->add_option("files", options->files,
                     "Stores (.db), JSON of launchbox results, files of other tuners; or folders with such files")
        ->type_name("FILE|FOLDER");
    verb->add_option("--data", options->folders, "One more folder or file")->type_name("PATH");
    verb->add_option("--strategy", options->strategies, "Strategies, separated by commas (default: all but exhaustive)")
        ->delimiter(',')
        ->type_name("NAME,...");
    verb->add_option("--repeats", options->repeats, "Searches with each strategy (default 100)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000000}));
    verb->add_option("--most", options->max_evaluations, "Evaluations after which a search ends (default 1000)")
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{20000000}));
    verb->add_option("--seed", options->seed, "Seed of the first search; the others follow from it (default 1)")
        ->type_name("N");
    options->output.add_to(*verb);
    add_examples(*verb,
                 "launchbox bench-search measurements/nvidia-h200/tune_block_sort.json --strategy local --repeats 3",
                 "launchbox bench-search measurements/nvidia-h200/tune_block_sort.json --strategy auto --repeats 3 "
                 "--most 100 --format csv");
    verb->callback([options, &context] { context.action = [options] { return run_bench(*options); }; });
}

namespace {

std::vector<std::string> strategies_wanted(const std::vector<std::string>& named)
{
    std::vector<std::string> wanted, known;
    for (const strategy_description& search_strategy : search_strategies()) known.emplace_back(search_strategy.name);
    if (named.empty()) {
        wanted = known;
        std::erase(wanted, "exhaustive");
        return wanted;
    }
    for (const std::string& text : named) {
        if (std::find(known.begin(), known.end(), text) == known.end())
            throw error("there is no search strategy '" + escape_for_terminal(text) + "'",
                        fmt::format("there are: {}", fmt::join(known, ", ")));
        if (std::find(wanted.begin(), wanted.end(), text) == wanted.end()) wanted.push_back(text);
    }
    return wanted;
}

// Folders are not gone into; their files in the order of their names.
std::vector<std::string> files_of(const bench_options& options, std::set<std::string>& from_folders)
{
    std::vector<std::string> named = options.files, files;
    named.insert(named.end(), options.folders.begin(), options.folders.end());
    if (named.empty()) throw error("no recorded space is named", "name a file of results, or a folder with --data");
    for (const std::string& text : named) {
        std::error_code failure;
        if (!std::filesystem::is_directory(text, failure)) {
            files.push_back(text);
            continue;
        }
        std::vector<std::string> inside;
        std::filesystem::directory_iterator entries(text, failure);
        if (failure) throw error(text + " cannot be read: " + failure.message(), "name a folder that can");
        for (const auto& entry : entries)
            if (entry.is_regular_file(failure))
                inside.push_back(entry.path().string());
            else if (!entry.is_directory(failure))
                say(entry.path().string() + " is no file, and is not read");
        std::sort(inside.begin(), inside.end());
        from_folders.insert(inside.begin(), inside.end());
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

replay_figures search_often(const bench_options& options, const replay_workload& replay, const std::string& strategy,
                            const std::function<void(std::size_t done)>& progress)
{
    std::vector<search_course> courses(static_cast<std::size_t>(options.repeats));
    std::mutex lock;
    std::size_t done = 0;
    run_parallel(courses.size(), [&](std::size_t i) {
        if (interrupted()) return;
        const auto search = make_strategy(strategy, replay.space, {.seed = options.seed + i});
        courses[i] = replay_search(replay, *search, static_cast<std::size_t>(options.max_evaluations), interrupted);
        const std::lock_guard guard(lock);
        progress(++done);
    });
    return interrupted() ? replay_figures{} : figures_of(replay, courses);
}

void bench_file(const bench_options& options, const std::vector<std::string>& strategies, const std::string& file,
                const result_file& read, search_bench& bench, progress_line& line)
{
    for (const recorded_run& run : read.runs)
        for (const replay_workload& replay : replay_workloads(run)) {
            const environment_info& where = run.info.environment;
            benched_workload made{.file = file,
                                  .name = run.info.name,
                                  .device = where.gpu.empty() ? where.processor : where.gpu,
                                  .run = run.number,
                                  .workload = replay.workload,
                                  .candidates = replay.answers.size(),
                                  .measured = replay.costs.size(),
                                  .screened = replay.answers.size() - replay.evaluable,
                                  .best_ns = replay.best(),
                                  .median_ns = replay.median(),
                                  .of_chance = evaluations_of_chance(replay),
                                  .strategies = {}};
            for (const std::string& strategy : strategies) {
                replay_figures figures = search_often(options, replay, strategy, [&](std::size_t done) {
                    line.show(fmt::format("{}, {}", file, strategy), done, static_cast<std::size_t>(options.repeats));
                });
                if (interrupted()) break;
                made.strategies.push_back({strategy, std::move(figures)});
            }
            if (!made.strategies.empty()) bench.workloads.push_back(std::move(made));
            if (interrupted()) return;
        }
}

}  // namespace

}  // namespace launchbox::cli
