// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "tune/exchange/foreign/formats.hpp"
#include "tune/exchange/foreign/json_pieces.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr int max_repairs = 100;  // of broken lines in the middle: each rereads the rest
constexpr double failed_in_old_files = 1e20;
// Members of an entry that do not describe the kernel.
constexpr std::array of_the_tuner{"time",           "times",         "compile_time",   "verification_time",
                                  "benchmark_time", "strategy_time", "framework_time", "timestamp",
                                  "verified"};

assignment workload_of_cache(const ordered_json& size);

struct cache_reader {
    foreign_run& run;
    foreign_diagnostics& diagnostics;
    std::vector<std::string> names;  // of the parameters; empty if not given

    void read(const std::string& key, const ordered_json& entry);
    bool read_time(const std::string& key, const ordered_json& entry, measurement& measured);
};

}  // namespace

std::vector<recorded_run> read_kernel_tuner_cache(const foreign_text& file, foreign_diagnostics& diagnostics)
{
    foreign_run run(diagnostics, file.hash);
    cache_reader reader{run, diagnostics, {}};
    std::optional<ordered_json> own;
    std::string_view cache;
    json_pieces members(file.text);
    bool cut = false;
    while (const std::optional<json_piece> member = members.next()) {
        cut |= !member->whole;
        if (member->name == "cache") {
            cache = member->text;
            continue;
        }
        const std::optional<ordered_json> value = parse_piece(member->text);
        if (!value) continue;
        if (member->name == "device_name" && value->is_string()) run.info.environment.gpu = value->get<std::string>();
        if (member->name == "kernel_name" && value->is_string()) run.info.name = value->get<std::string>();
        if (member->name == "problem_size") run.facts.workload = workload_of_cache(*value);
        if (member->name == "launchbox") own = value;
        if (member->name == "tune_params_keys" && value->is_array())
            for (const ordered_json& json : *value)
                if (json.is_string()) reader.names.push_back(json.get<std::string>());
        if (member->name == "tune_params" && value->is_object() && reader.names.empty())
            for (const auto& [name, values] : value->items()) reader.names.push_back(name);
    }
    if (own) read_own_facts(*own, run.facts);
    json_pieces entries(cache);
    int repairs = 0;
    while (const std::optional<json_piece> entry = entries.next()) {
        const std::optional<ordered_json> value = entry->whole ? parse_piece(entry->text) : std::nullopt;
        if (value && value->is_object()) {
            reader.read(entry->name, *value);
            continue;
        }
        diagnostics.add("left out, since the line is truncated or damaged",
                        entry->name.empty() ? "no name" : entry->name);
        // Each candidate is on one line.
        if (!entry->whole && (++repairs > max_repairs || !entries.skip_line())) break;
    }
    // An unfinished run is not an error of the file.
    if (!entries.closed() || cut || !members.closed())
        diagnostics.say("is not closed, perhaps because the run still goes on: all candidates up to its end are read");
    std::vector<recorded_run> runs;
    runs.push_back(run.finish(1));
    return runs;
}

namespace {

// A list is the grid size, x first.
assignment workload_of_cache(const ordered_json& size)
{
    if (size == "") return {};
    if (!size.is_array()) return {{{"problem_size", foreign_value(size)}}};
    assignment workload;
    const char* const names[] = {"x", "y", "z"};
    if (size.empty() || size.size() > std::size(names)) return {{{"problem_size", foreign_value(size)}}};
    for (std::size_t i = 0; i < size.size(); ++i) workload.values.emplace_back(names[i], foreign_value(size[i]));
    return workload;
}

void cache_reader::read(const std::string& key, const ordered_json& entry)
{
    stored_result result;
    for (const std::string& name : names) {
        const ordered_json* value = member_of(entry, name.c_str());
        if (value == nullptr) {
            diagnostics.add("left out, since a parameter has no value", key);
            return;
        }
        result.parameters.values.emplace_back(name, foreign_value(*value));
    }
    result.compile_seconds = foreign_cost(entry, "compile_time", 1e-3);
    const double verification = foreign_cost(entry, "verification_time", 1e-3);
    result.measured.seconds = foreign_cost(entry, "benchmark_time", 1e-3) + verification;
    result.finished = foreign_timestamp(text_member(entry, "timestamp"));
    if (!read_time(key, entry, result.measured)) return;
    // Kernel Tuner stops at a wrong result, so an entry that took verification time was right.
    result.measured.verified =
        result.measured.status == outcome::measured && (verification > 0 || is_true(entry, "verified"));
    if (result.measured.status == outcome::measured)
        for (const auto& [name, value] : entry.items())
            if (std::ranges::find(names, name) == names.end() &&
                std::ranges::find(of_the_tuner, name) == of_the_tuner.end())
                add_foreign_quantity(result.measured, name, value);
    run.add(std::move(result));
}

bool cache_reader::read_time(const std::string& key, const ordered_json& entry, measurement& measured)
{
    const ordered_json* time = member_of(entry, "time");
    const std::string word = time != nullptr && time->is_string() ? time->get<std::string>() : std::string();
    const ordered_json* error = member_of(entry, "__error__");
    if (word.ends_with("Config") || (error != nullptr && error->is_string())) {
        std::string reason = error != nullptr && error->is_string() ? error->get<std::string>() : word;
        if (reason.empty()) reason = word;
        const bool known =
            word == "CompilationFailedConfig" || word == "RuntimeFailedConfig" || word == "InvalidConfig";
        if (!known) diagnostics.add("failed with an unknown status: " + (word.empty() ? reason : word), key);
        set_failure(measured, reason,
                    word == "CompilationFailedConfig" ? outcome::compile_error
                    : word == "InvalidConfig"         ? outcome::rejected
                                                      : outcome::launch_error);
        return true;
    }
    const std::optional<double> mean = time != nullptr ? number_in(*time) : std::nullopt;
    if (mean && *mean >= failed_in_old_files) {
        set_failure(measured, "the file says only that it failed (time 1e20)", outcome::launch_error);
        return true;
    }
    const std::optional<double> only = time != nullptr ? foreign_time(*time, ns_per_millisecond) : std::nullopt;
    const bool has_some = read_foreign_samples(member_of(entry, "times"), ns_per_millisecond, only,
                                               mean ? std::optional(*mean * ns_per_millisecond) : std::nullopt,
                                               measured, diagnostics, key);
    if (!has_some) diagnostics.add(mean ? no_foreign_time : "left out, since there is no number for the time", key);
    return has_some;
}

}  // namespace

}  // namespace launchbox
