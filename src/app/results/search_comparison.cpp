// SPDX-License-Identifier: Apache-2.0
#include "app/results/search_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "advice/model/gpu_models.hpp"
#include "app/results/recorded_results.hpp"
#include "report/tune/held_out_report.hpp"
#include "report/tune/results_report.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/text/terminal.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox {

namespace {

// Equal for records of the same space.
using space_key = std::tuple<std::string, std::set<std::string>, std::set<std::string>>;

space_key space_of(const recorded_run& run)
{
    std::set<std::string> parameters, workloads;
    for (const stored_result& result : run.results) {
        for (const auto& [name, value] : result.parameters.values) parameters.insert(name);
        workloads.insert(identity_of(result.workload));
    }
    return {run.info.name, std::move(parameters), std::move(workloads)};
}

// A record of another tuner has no baseline: its first candidate serves as an arbitrary one.
std::optional<assignment> recorded_baseline(const recorded_run& run)
{
    if (run.info.baseline || run.results.empty()) return run.info.baseline;
    return run.results.front().parameters;
}

// As the record has it, else from other GPUs of the same name.
std::optional<compute_capability> architecture_of(const environment_info& where)
{
    if (const auto written = parse_compute_capability(where.architecture)) return written;
    return where.gpu.empty() ? std::nullopt : gpus_named(where.gpu).capability();
}

recorded_gpu known_of(const portable_gpu& gpu, const std::vector<landscape_source>& sources)
{
    recorded_gpu known;
    for (const std::size_t source : gpu.sources) {
        const recorded_run& run = *sources[source].run;
        known.architecture = architecture_of(run.info.environment);
        known.baseline = recorded_baseline(run);
        for (const stored_result& result : run.results) known.recorded.insert(identity_of(result.parameters));
    }
    return known;
}

// Runs with the same name, parameters and workloads are records of one space. Spaces with one GPU are reported and
// left out.
std::vector<held_out_space> hold_gpus_out(std::vector<shown_run> runs, left_out what, const listener& news)
{
    results_report all;
    all.runs = std::move(runs);
    sort_by_calls(all);
    std::vector<space_key> order;
    std::map<space_key, std::vector<landscape_source>> spaces;
    for (const shown_run& shown : all.runs) {
        space_key key = space_of(shown.run);
        const auto [at, fresh] = spaces.try_emplace(key);
        if (fresh) order.push_back(std::move(key));
        at->second.push_back({&shown.run, shown.file});
    }
    std::vector<held_out_space> made;
    for (const space_key& key : order) {
        const std::vector<landscape_source>& sources = spaces[key];
        held_out_space space;
        space.name = std::get<0>(key);
        for (const landscape_source& source : sources) space.files.push_back(source.file);
        try {
            space.records = portability_of(sources);
        } catch (const error& failure) {
            news.say(fmt::format("{}: {}", escape_for_terminal(space.files.front()), failure.what()));
            continue;
        }
        if (space.records.rows.size() < 2) {
            news.say(fmt::format("{}: one candidate was measured on all workloads: there is nothing to choose",
                                 escape_for_terminal(space.files.front())));
            continue;
        }
        std::vector<recorded_gpu> known;
        for (const portable_gpu& gpu : space.records.gpus) known.push_back(known_of(gpu, sources));
        space.gpus = hold_each_out(space.records, known, what);
        made.push_back(std::move(space));
    }
    return made;
}

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
            throw error("unknown search strategy '" + escape_for_terminal(text) + "'",
                        fmt::format("there are: {}", fmt::join(known, ", ")));
        if (std::find(wanted.begin(), wanted.end(), text) == wanted.end()) wanted.push_back(text);
    }
    return wanted;
}

// Files of folders are sorted by name; subfolders are skipped.
std::vector<std::string> recorded_files(const std::vector<std::string>& named, std::set<std::string>& from_folders,
                                        const listener& news)
{
    std::vector<std::string> files;
    if (named.empty()) throw error("no recorded space was given", "name a file of results, or a folder with --data");
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
                news.say(entry.path().string() + " is not a file, and is not read");
        std::sort(inside.begin(), inside.end());
        from_folders.insert(inside.begin(), inside.end());
        files.insert(files.end(), inside.begin(), inside.end());
    }
    return files;
}

replay_figures search_often(const search_request& request, const replay_workload& replay, const score_span& span,
                            const std::string& strategy, const std::function<void(std::size_t done)>& progress)
{
    const auto max_evaluations = static_cast<std::size_t>(request.max_evaluations);
    std::vector<search_course> courses(static_cast<std::size_t>(request.repeats));
    std::mutex lock;
    std::size_t done = 0;
    run_parallel(courses.size(), [&](std::size_t i) {
        if (interrupted()) return;
        const auto search = make_strategy(strategy, replay.space, {.seed = request.seed + i});
        courses[i] = replay_search(replay, *search, max_evaluations, span, interrupted);
        const std::lock_guard guard(lock);
        progress(++done);
    });
    return interrupted() ? replay_figures{} : figures_of(replay, courses, max_evaluations, span);
}

void bench_file(const search_request& request, const std::vector<std::string>& strategies, const std::string& file,
                const result_file& read, search_bench& bench, const progress_function& show)
{
    for (const recorded_run& run : read.runs)
        for (const replay_workload& replay : replay_workloads(run)) {
            const environment_info& where = run.info.environment;
            benched_workload made{.file = file,
                                  .name = run.info.name,
                                  .device = machine_of(where),
                                  .run = run.number,
                                  .workload = replay.workload,
                                  .candidates = replay.answers.size(),
                                  .measured = replay.costs.size(),
                                  .screened = replay.answers.size() - replay.evaluable,
                                  .best_ns = replay.best(),
                                  .median_ns = replay.median(),
                                  .of_chance = evaluations_of_chance(replay),
                                  .of_score = 0,
                                  .strategies = {}};
            const score_span span =
                score_span_of(replay, made.of_chance, static_cast<std::size_t>(request.max_evaluations));
            made.of_score = span.evaluations;
            for (const std::string& strategy : strategies) {
                const replay_figures figures = search_often(request, replay, span, strategy, [&](std::size_t done) {
                    show(fmt::format("{}, {}", file, strategy), done, static_cast<std::size_t>(request.repeats));
                });
                if (interrupted()) break;
                made.strategies.push_back({strategy, figures});
            }
            if (!made.strategies.empty()) bench.workloads.push_back(std::move(made));
            if (interrupted()) return;
        }
}

}  // namespace

search_comparison compare_searches(const search_request& request, const listener& news)
{
    const std::vector<std::string> strategies = strategies_wanted(request.strategies);
    std::set<std::string> from_folders;
    const std::vector<std::string> files = recorded_files(request.paths, from_folders, news);
    search_comparison made;
    search_bench& bench = made.bench;
    bench.repeats = static_cast<std::size_t>(request.repeats);
    bench.max_evaluations = static_cast<std::size_t>(request.max_evaluations);
    bench.seed = request.seed;
    std::vector<shown_run> runs;  // holding GPUs out needs all of them
    for (const std::string& file : files) {
        if (interrupted()) break;
        try {
            result_file read = read_result_file(file);
            const std::size_t before = bench.workloads.size() + runs.size();
            if (request.leave_out)
                for (recorded_run& run : read.runs) runs.push_back({file, std::move(run), {}});
            else
                bench_file(request, strategies, file, read, bench, news.begin_progress("searches"));
            if (bench.workloads.size() + runs.size() == before && !interrupted())
                news.say(file + ": no candidate was measured");
            bench.notes.insert(bench.notes.end(), read.diagnostics.begin(), read.diagnostics.end());
        } catch (const error& failure) {
            const std::string what = failure.what();
            news.say((what.find(file) == std::string::npos ? file + ": " : "") + what);
            // A folder may contain other files, too.
            if (!from_folders.contains(file)) made.status = failure.status();
        }
    }
    bench.left_out = request.leave_out;
    if (request.leave_out && !interrupted()) bench.held_out = hold_gpus_out(std::move(runs), *request.leave_out, news);
    bench.interrupted = interrupted();
    return made;
}

}  // namespace launchbox
