// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"
#include "support/files/read_files.hpp"
#include "support/text/json_memory.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/exchange/call_order.hpp"
#include "tune/exchange/foreign_results.hpp"
#include "tune/store/result_json.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr const char* hint =
    "name a store of launchbox tune, the JSON of launchbox results --format json, or a file of Kernel Tuner, KTT or T4";

// Limits of the unpacked size: results compress to a tenth, a decompression bomb to a thousandth.
constexpr std::size_t unpacked_free = std::size_t{64} << 20, unpacked_times = 200;

result_file read_store(const result_store& store);
void number_calls(std::vector<recorded_run>& runs, const std::vector<std::string>& stores);
recorded_run run_of(const ordered_json& value, const ordered_json& environments);
stored_result result_of(const ordered_json& value, bool& from_median);
race_result_info race_of(const ordered_json& value);
device_record device_of(const ordered_json& value);

/// A member that violates the schema.
struct bad_member {
    std::string name;
};

// One object of the file; an absent optional member keeps its default.
class members {
public:
    explicit members(const ordered_json& object) : object_(object)
    {
        if (!object.is_object()) throw bad_member{"something that is not an object"};
    }

    [[nodiscard]] const ordered_json* find(const char* name) const
    {
        const auto found = object_.find(name);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    void operator()(const char* name, std::string& into) const
    {
        if (const ordered_json* value = find(name)) into = checked(value->is_string(), name, *value).get<std::string>();
    }
    void operator()(const char* name, double& into) const
    {
        if (const ordered_json* value = find(name)) into = checked(value->is_number(), name, *value).get<double>();
    }
    void operator()(const char* name, bool& into) const
    {
        if (const ordered_json* value = find(name)) into = checked(value->is_boolean(), name, *value).get<bool>();
    }
    template <std::integral Integer>
    void operator()(const char* name, Integer& into) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return;
        const auto read =
            checked(value->is_number_integer(), name, *value).get<std::uint64_t>();  // negative: a large one
        if (!std::in_range<Integer>(read)) throw bad_member{name};
        into = static_cast<Integer>(read);
    }
    void operator()(const char* name, std::vector<double>& into) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return;
        for (const ordered_json& sample : checked(value->is_array(), name, *value))
            into.push_back(checked(sample.is_number(), name, sample).get<double>());
    }
    void operator()(const char* name, outcome& into) const
    {
        std::string text;
        (*this)(name, text);
        const std::optional<outcome> what = outcome_named(text);
        if (!what) throw bad_member{name};
        into = *what;
    }
    void operator()(const char* name, json_part auto& into) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr || !read_json(*value, into)) throw bad_member{name};
    }
    /// Older files have none.
    void operator()(const char* name, measured_quantities& into) const
    {
        const ordered_json* value = find(name);
        if (value != nullptr && !read_json(*value, into)) throw bad_member{name};
    }
    template <class Value>
    void operator()(const char* name, std::optional<Value>& into) const
    {
        if (find(name) != nullptr) (*this)(name, into.emplace());
    }

    [[nodiscard]] const ordered_json& array(const char* name) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr || !value->is_array()) throw bad_member{name};
        return *value;
    }

private:
    static const ordered_json& checked(bool good, const char* name, const ordered_json& value)
    {
        if (!good) throw bad_member{name};
        return value;
    }

    const ordered_json& object_;
};

}  // namespace

result_file read_result_file(const std::string& path)
{
    constexpr std::string_view store_start = "SQLite format 3";
    const std::string name = path == "-" ? "standard input" : path;
    if (std::error_code failure; std::filesystem::is_regular_file(path, failure)) {
        std::string start(store_start.size(), '\0');
        std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
        if (start == store_start) {
            note_read(path);
            return read_store(result_store(path, result_store::access::read_only));
        }
    }
    decompressed_text input{.text = read_input(path), .damage = {}};
    if (input.text.starts_with(store_start))  // from a pipe
        return read_store(result_store::of_bytes(std::move(input.text), name));
    const std::size_t bytes_of_file = input.text.size();
    if (is_gzip(input.text))
        input = gunzip(input.text, std::min(max_input_bytes, unpacked_free + unpacked_times * bytes_of_file));
    input.text = utf8_text(std::move(input.text));
    refuse_large_json(input.text, bytes_of_file, name);
    std::optional<result_file> foreign = read_foreign_results(input.text, name);
    result_file read = foreign ? *std::move(foreign) : read_results_json(input.text, name);
    if (!input.damage.empty()) read.diagnostics.insert(read.diagnostics.begin(), name + ": " + input.damage);
    return read;
}

result_file read_results_json(std::string_view text, const std::string& name)
try {
    const ordered_json whole = ordered_json::parse(text, nullptr, false);
    if (whole.is_discarded()) throw error(name + " is neither a result store nor JSON", hint);
    if (!whole.is_object() || whole.value("schema", ordered_json()) != "launchbox.results/1")
        throw error(name + " is JSON, but not launchbox.results/1", hint);
    const members file(whole);
    result_file read;
    const ordered_json& environments = file.array("environments");
    std::vector<std::string> stores;  // one for each run
    for (const ordered_json& value : file.array("runs")) {
        read.runs.push_back(run_of(value, environments));
        members{value}("file", stores.emplace_back());
    }
    number_calls(read.runs, stores);
    std::size_t place = 0, without_samples = 0;
    const auto in_its_run = [&](const ordered_json& value, const char* kind, const auto& put) {
        try {
            std::size_t run = 0;
            members{value}("run", run);
            if (run >= read.runs.size()) throw bad_member{"run"};
            put(read.runs[run]);
        } catch (const bad_member& bad) {
            read.diagnostics.push_back(fmt::format("{}: {} {} is left out: {}", name, kind, place, bad.name));
        }
        ++place;
    };
    for (const ordered_json& value : file.array("candidates"))
        in_its_run(value, "candidate", [&](recorded_run& run) {
            bool from_median = false;
            stored_result result = result_of(value, from_median);
            result.run = run.number;
            without_samples += from_median ? 1 : 0;
            run.results.push_back(std::move(result));
        });
    place = 0;
    if (file.find("races") != nullptr)
        for (const ordered_json& value : file.array("races"))
            in_its_run(value, "race", [&](recorded_run& run) {
                race_result_info race = race_of(value);
                race.run = run.number;
                run.races.push_back(std::move(race));
            });
    place = 0;
    if (file.find("devices") != nullptr)
        for (const ordered_json& value : file.array("devices"))
            in_its_run(value, "device", [&](recorded_run& run) { run.devices.push_back(device_of(value)); });
    if (without_samples > 0)
        read.diagnostics.push_back(
            fmt::format("{} has no samples of {} candidates, only their medians (results --samples writes all)", name,
                        without_samples));
    return read;
} catch (const bad_member& bad) {
    throw error(fmt::format("{} is not launchbox.results/1: {}", name, escape_for_terminal(bad.name)), hint);
}

namespace {

result_file read_store(const result_store& store)
{
    result_file read;
    read.runs = store.recorded_runs();
    read.diagnostics = store.diagnostics();
    return read;
}

// Renumbers the runs if those of a file come from several stores, each with its own numbers.
void number_calls(std::vector<recorded_run>& runs, const std::vector<std::string>& stores)
{
    std::vector<const run_info*> infos;
    for (const recorded_run& run : runs) infos.push_back(&run.info);
    const bool of_one = std::ranges::all_of(stores, [&](const std::string& store) { return store == stores.front(); });
    if (of_one && std::ranges::all_of(infos, [](const run_info* info) { return info->call.has_value(); })) return;
    std::int64_t call = 0;
    for (const std::size_t place : in_order_of_calls(infos, stores)) runs[place].info.call = ++call;
}

device_record device_of(const ordered_json& value)
{
    device_record device;
    each_field(device, members(value));
    if (!why_invalid(device).empty()) throw bad_member{"an invalid device"};
    return device;
}

recorded_run run_of(const ordered_json& value, const ordered_json& environments)
{
    const members from(value);
    recorded_run run;
    std::size_t environment = 0;
    from("number", run.number);
    each_field(run.info, call_fields(run.info, "spec"), from);
    each_field(run.info, task_fields(run.info), from);
    from("call", run.info.call);
    from("environment", environment);
    if (environment >= environments.size()) throw bad_member{"environment"};
    each_field(run.info.environment, members(environments[environment]));
    from("host", run.info.environment.host);
    if (std::string why = why_invalid(run.info); !why.empty()) throw bad_member{std::move(why)};
    return run;
}

stored_result result_of(const ordered_json& value, bool& from_median)
{
    const members from(value);
    stored_result result;
    measurement& measured = result.measured;
    each_field(result, from);
    each_field(result.work, from);
    each_field(measured, stored_fields(measured, "phase_seconds"), from);
    if (measured.status == outcome::measured && measured.samples_ns.empty() && from.find("median_ns") != nullptr) {
        from("median_ns", measured.samples_ns.emplace_back());
        from_median = true;
    }
    if (std::string why = why_invalid(result); !why.empty()) throw bad_member{std::move(why)};
    return result;
}

race_result_info race_of(const ordered_json& value)
{
    const members from(value);
    race_result_info race;
    each_field(race, from);
    for (const ordered_json& entry : from.array("entries")) each_field(race.entries.emplace_back(), members(entry));
    if (std::string why = why_invalid(race); !why.empty()) throw bad_member{std::move(why)};
    return race;
}

}  // namespace

}  // namespace launchbox
