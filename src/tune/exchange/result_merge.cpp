// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/result_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tune/exchange/call_order.hpp"

namespace launchbox {

namespace {

std::string key_of_result(const stored_result& result)
{
    return identity_of(result.parameters) + "/" + identity_of(result.workload);
}

// What a run adds to the run that it joins.
struct placed_run {
    const recorded_run* run = nullptr;
    std::size_t into = 0;  ///< which of the merged runs
    std::vector<const stored_result*> results = {};
    std::vector<const race_result_info*> races = {};
    std::vector<device_record> devices = {};
};

// Everything that the runs with one key have reported so far.
struct merged_run {
    run_info info;
    std::string task_hash;    // as stored: differs from the run's if it was kept apart
    std::int64_t number = 0;  // in the store
    std::map<std::string, const stored_result*> results = {};
    std::vector<const race_result_info*> races = {};
    std::map<std::string, const device_record*> devices = {};
};

// Run numbers differ between stores, and the amounts of work of a workload may have been added later.
bool are_equal_but_for_numbers(stored_result one, const stored_result& other)
{
    one.run = other.run;
    one.work = other.work;
    return one == other;
}

bool are_equal_but_for_numbers(race_result_info one, const race_result_info& other)
{
    one.run = other.run;
    return one == other;
}

// Empty if they agree.
std::string why_contradicts(const merged_run& there, const recorded_run& run)
{
    for (const stored_result& result : run.results)
        if (const auto known = there.results.find(key_of_result(result));
            known != there.results.end() && !are_equal_but_for_numbers(*known->second, result))
            return "has another result for " + parameter_text(result.parameters);
    for (const device_record& device : run.devices)
        if (const auto known = there.devices.find(device.name);
            known != there.devices.end() && !(*known->second == device))
            return "has other data for " + device.name;
    return {};
}

bool same_key(const run_info& one, const run_info& other)
{
    environment_info here = one.environment, there = other.environment;
    here.host = there.host = {};  // does not distinguish environments
    return one.task_hash == other.task_hash && one.source_hash == other.source_hash && here == there;
}

// Adds the run to what is known; only its new parts are to be written.
placed_run place(const recorded_run& run, std::size_t number, merged_run& there, merge_summary& summary)
{
    placed_run placed{.run = &run, .into = number};
    for (const stored_result& result : run.results) {
        if (there.results.emplace(key_of_result(result), &result).second)
            placed.results.push_back(&result);
        else
            ++summary.repeated;
    }
    for (const race_result_info& race : run.races) {
        if (std::ranges::any_of(there.races,
                                [&](const auto* known) { return are_equal_but_for_numbers(race, *known); }))
            continue;
        there.races.push_back(&race);
        placed.races.push_back(&race);
    }
    for (const device_record& device : run.devices)
        if (there.devices.emplace(device.name, &device).second) placed.devices.push_back(device);
    return placed;
}

// The first of `all` that a run can join, else a new one.
std::size_t place_for(const recorded_run& run, const std::string& file, std::vector<merged_run>& all,
                      merge_summary& summary)
{
    std::string why_apart;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!same_key(all[i].info, run.info)) continue;
        // Also compared with runs that were kept apart: the same file may come twice.
        const std::string why = why_contradicts(all[i], run);
        if (why.empty()) {
            ++summary.joined;
            return i;
        }
        if (why_apart.empty()) why_apart = why;
    }
    merged_run& made = all.emplace_back(merged_run{.info = run.info, .task_hash = run.info.task_hash});
    if (!why_apart.empty()) {
        made.task_hash += fmt::format(" merged {}", all.size() - 1);
        summary.kept_apart.push_back({fmt::format("run {} of {}", run.number, file), why_apart});
    }
    return all.size() - 1;
}

void write(result_store& into, const placed_run& placed, merged_run& there)
{
    run_info info = placed.run->info;
    info.task_hash = there.task_hash;
    there.number = into.begin_run(info);
    for (const stored_result* known : placed.results) {
        stored_result result = *known;
        result.run = there.number;
        into.save(result);
    }
    for (const race_result_info* known : placed.races) {
        race_result_info race = *known;
        race.run = there.number;
        into.add(race);
    }
    if (!placed.devices.empty()) into.save(there.number, placed.devices);
}

}  // namespace

merge_summary merge_runs(result_store& into, const std::vector<recorded_run>& runs,
                         const std::vector<std::string>& from)
{
    merge_summary summary;
    std::vector<merged_run> all;
    std::vector<placed_run> placed;
    std::vector<const run_info*> infos;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::size_t number = place_for(runs[i], from[i], all, summary);
        placed.push_back(place(runs[i], number, all[number], summary));
        summary.results += placed.back().results.size();
        infos.push_back(&runs[i].info);
    }
    for (const std::size_t i : in_order_of_calls(infos, from)) write(into, placed[i], all[placed[i].into]);
    summary.runs = all.size();
    return summary;
}

}  // namespace launchbox
