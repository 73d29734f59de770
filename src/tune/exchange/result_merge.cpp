// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/result_merge.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace launchbox {

namespace {

std::string key_of_result(const stored_result& result)
{
    return identity_of(result.parameters) + "/" + identity_of(result.workload);
}

// All that the runs with one key have said so far, and the number of their run in the store.
struct merged_run {
    run_info info;
    std::string task_hash;  // in the store: another where it was kept apart
    std::int64_t number = 0;
    std::map<std::string, stored_result> results;
    std::map<std::string, race_result_info> races;
    std::map<std::string, device_record> devices;
};

// The number of the run differs from store to store, and what a workload's work is may have been written later.
bool say_the_same(stored_result one, const stored_result& other)
{
    one.run = other.run;
    one.work = other.work;
    return one == other;
}

bool say_the_same(race_result_info one, const race_result_info& other)
{
    one.run = other.run;
    return one == other;
}

bool contradicts(const merged_run& there, const recorded_run& run)
{
    for (const stored_result& result : run.results)
        if (const auto known = there.results.find(key_of_result(result));
            known != there.results.end() && !say_the_same(known->second, result))
            return true;
    for (const race_result_info& race : run.races)
        if (const auto known = there.races.find(identity_of(race.workload));
            known != there.races.end() && !say_the_same(known->second, race))
            return true;
    for (const device_record& device : run.devices)
        if (const auto known = there.devices.find(device.name);
            known != there.devices.end() && !(known->second == device))
            return true;
    return false;
}

bool same_key(const run_info& one, const run_info& other)
{
    environment_info here = one.environment, there = other.environment;
    here.host = there.host = {};  // not part of what makes environments different
    return one.task_hash == other.task_hash && one.source_hash == other.source_hash && here == there;
}

void put(result_store& into, merged_run& there, const recorded_run& run, merge_summary& summary)
{
    for (stored_result result : run.results) {
        result.run = there.number;
        if (!there.results.emplace(key_of_result(result), result).second) {
            ++summary.repeated;
            continue;
        }
        into.save(result);
        ++summary.results;
    }
    for (race_result_info race : run.races) {
        race.run = there.number;
        if (there.races.emplace(identity_of(race.workload), race).second) into.save(race);
    }
    std::vector<device_record> devices;
    for (const device_record& device : run.devices)
        if (there.devices.emplace(device.name, device).second) devices.push_back(device);
    if (!devices.empty()) into.save(there.number, devices);
}

}  // namespace

merge_summary merge_runs(result_store& into, const std::vector<recorded_run>& runs,
                         const std::vector<std::string>& from)
{
    merge_summary summary;
    std::vector<merged_run> all;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const recorded_run& run = runs[i];
        merged_run* there = nullptr;
        bool key_is_taken = false;
        for (merged_run& earlier : all)
            if (same_key(earlier.info, run.info)) {
                key_is_taken = true;
                // Also one that was kept apart: the same file may come twice.
                if (there == nullptr && !contradicts(earlier, run)) there = &earlier;
            }
        if (there != nullptr) {
            ++summary.joined;
            run_info info = run.info;  // the call is recorded, too
            info.task_hash = there->task_hash;
            into.begin_run(info);
        }
        if (there == nullptr) {
            run_info info = run.info;
            if (key_is_taken) {
                info.task_hash += fmt::format(" merged {}", all.size());
                summary.kept_apart.push_back(fmt::format("run {} of {}", run.number, from[i]));
            }
            const std::int64_t number = into.begin_run(info);
            there = &all.emplace_back(merged_run{.info = run.info,
                                                 .task_hash = info.task_hash,
                                                 .number = number,
                                                 .results = {},
                                                 .races = {},
                                                 .devices = {}});
        }
        put(into, *there, run, summary);
    }
    summary.runs = all.size();
    return summary;
}

}  // namespace launchbox
