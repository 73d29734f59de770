// SPDX-License-Identifier: Apache-2.0
#include "app/results/held_out_gpus.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "advice/model/gpu_models.hpp"
#include "app/results/recorded_results.hpp"
#include "support/text/terminal.hpp"

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

}  // namespace

std::optional<compute_capability> architecture_of(const environment_info& where)
{
    if (const auto written = parse_compute_capability(where.architecture)) return written;
    return where.gpu.empty() ? std::nullopt : gpus_named(where.gpu).capability();
}

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

}  // namespace launchbox
