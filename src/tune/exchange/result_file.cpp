// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <system_error>

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
    "name a store of launchbox tune, what launchbox results --format json wrote of one, or a file of Kernel Tuner, KTT "
    "or T4";

// What a compressed file may become: results compress to a tenth, what is made to use up memory to a thousandth.
constexpr std::size_t unpacked_free = std::size_t{64} << 20, unpacked_times = 200;

result_file read_store(const result_store& store);
void number_calls(std::vector<recorded_run>& runs, const std::vector<std::string>& stores);
recorded_run run_of(const ordered_json& value, const ordered_json& environments);
stored_result result_of(const ordered_json& value, bool& from_median);
race_result_info race_of(const ordered_json& value);
device_record device_of(const ordered_json& value);

/// A member that is not as the schema says.
struct bad_member {
    std::string name;
};

// One object of the file; what is not there and need not be has its default value.
class members {
public:
    explicit members(const ordered_json& object) : object_(object)
    {
        if (!object.is_object()) throw bad_member{"what is no object"};
    }

    [[nodiscard]] const ordered_json* find(const char* name) const
    {
        const auto found = object_.find(name);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }
    [[nodiscard]] std::string text(const char* name) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return {};
        if (!value->is_string()) throw bad_member{name};
        return value->get<std::string>();
    }
    [[nodiscard]] double number(const char* name, double otherwise) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return otherwise;
        if (!value->is_number()) throw bad_member{name};
        return value->get<double>();
    }
    [[nodiscard]] std::int64_t integer(const char* name, std::int64_t max) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return 0;
        if (!value->is_number_integer()) throw bad_member{name};
        const auto read = value->get<std::uint64_t>();  // below 0: a large one
        if (read > static_cast<std::uint64_t>(max)) throw bad_member{name};
        return static_cast<std::int64_t>(read);
    }
    [[nodiscard]] int count(const char* name) const
    {
        return static_cast<int>(integer(name, std::numeric_limits<int>::max()));
    }
    [[nodiscard]] bool truth(const char* name) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return false;
        if (!value->is_boolean()) throw bad_member{name};
        return value->get<bool>();
    }
    [[nodiscard]] std::optional<assignment> values(const char* name) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return std::nullopt;
        std::optional<assignment> read = assignment_of(*value);
        if (!read) throw bad_member{name};
        return read;
    }
    [[nodiscard]] assignment needed_values(const char* name) const
    {
        std::optional<assignment> read = values(name);
        if (!read) throw bad_member{name};
        return *std::move(read);
    }
    [[nodiscard]] std::vector<double> samples(const char* name) const
    {
        std::vector<double> samples;
        const ordered_json* value = find(name);
        if (value == nullptr) return samples;
        if (!value->is_array()) throw bad_member{name};
        for (const ordered_json& json : *value) {
            if (!json.is_number()) throw bad_member{name};
            samples.push_back(json.get<double>());
        }
        return samples;
    }
    [[nodiscard]] const ordered_json& array(const char* name) const
    {
        const ordered_json* value = find(name);
        if (value == nullptr || !value->is_array()) throw bad_member{name};
        return *value;
    }

private:
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
    if (input.text.starts_with(store_start))  // out of a pipe
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
    std::vector<std::string> stores;  // of the runs, one each
    for (const ordered_json& value : file.array("runs")) {
        read.runs.push_back(run_of(value, environments));
        stores.push_back(members(value).text("file"));
    }
    number_calls(read.runs, stores);
    std::size_t place = 0, without_samples = 0;
    const auto in_its_run = [&](const ordered_json& value, const char* kind, const auto& put) {
        try {
            const auto run = static_cast<std::size_t>(members(value).integer("run", std::numeric_limits<int>::max()));
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
            fmt::format("{} has no samples of {} candidates: their medians stand alone (results --samples writes all)",
                        name, without_samples));
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

// Anew where the runs of a file come from several stores, each with numbers of its own.
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
    const members from(value);
    device_record device;
    device.name = from.text("name");
    device.host = from.text("host");
    device.uuid = from.text("uuid");
    if (from.find("ecc") != nullptr) device.ecc = from.truth("ecc");
    if (const ordered_json* hardware = from.find("hardware")) {
        device.hardware = gpu_hardware_of(*hardware);
        if (!device.hardware) throw bad_member{"what is no hardware"};
    }
    device.calibration_ns = from.samples("calibration_ns");
    if (const ordered_json* state = from.find("state")) device.state = device_state_of(*state);
    device.measured = from.integer("measured", std::numeric_limits<std::int64_t>::max());
    device.failed = from.integer("failed", std::numeric_limits<std::int64_t>::max());
    device.busy_seconds = from.number("busy_seconds", 0);
    device.seconds = from.number("seconds", 0);
    device.lost = from.text("lost");
    if (!why_invalid(device).empty()) throw bad_member{"what is no device"};
    return device;
}

recorded_run run_of(const ordered_json& value, const ordered_json& environments)
{
    const members from(value);
    recorded_run run;
    run.number = from.integer("number", std::numeric_limits<std::int64_t>::max());
    run.info.name = from.text("name");
    run.info.spec_text = from.text("spec");
    run.info.spec_hash = from.text("spec_hash");
    run.info.task_hash = from.text("task_hash");
    run.info.source_hash = from.text("source_hash");
    run.info.command = from.text("command");
    run.info.version = from.text("version");
    run.info.started = from.text("started");
    run.info.baseline = from.values("baseline");
    if (from.find("call") != nullptr) run.info.call = from.integer("call", std::numeric_limits<std::int64_t>::max());
    const auto place = static_cast<std::size_t>(from.integer("environment", std::numeric_limits<int>::max()));
    if (place >= environments.size()) throw bad_member{"environment"};
    const members environment(environments[place]);
    run.info.environment = {
        .gpu = environment.text("gpu"),
        .processor = environment.text("processor"),
        .architecture = environment.text("architecture"),
        .sms = environment.count("sms"),
        .memory_bytes = environment.integer("memory_bytes", std::numeric_limits<std::int64_t>::max()),
        .driver = environment.text("driver"),
        .toolkit = environment.text("toolkit"),
        .host = from.text("host")};
    return run;
}

stored_result result_of(const ordered_json& value, bool& from_median)
{
    const members from(value);
    stored_result result;
    result.parameters = from.needed_values("parameters");
    result.workload = from.needed_values("workload");
    result.weight = from.number("weight", 1);
    for (const work_kind& kind : work_kinds)
        if (from.find(kind.name) != nullptr) result.work.*kind.amount = from.number(kind.name, 0);
    const std::optional<outcome> what = outcome_named(from.text("status"));
    if (!what) throw bad_member{"status"};
    result.measured.what = *what;
    result.measured.reason = from.text("reason");
    result.measured.samples_ns = from.samples("samples_ns");
    if (*what == outcome::measured && result.measured.samples_ns.empty() && from.find("median_ns") != nullptr) {
        result.measured.samples_ns = {from.number("median_ns", 0)};
        from_median = true;
    }
    result.measured.dropped = from.count("dropped");
    result.measured.stopped_early = from.truth("stopped_early");
    result.measured.verified = from.truth("verified");
    result.measured.checksum = from.text("checksum");
    result.measured.seconds = from.number("seconds", 0);
    result.measured.sticky = from.truth("sticky");
    if (const ordered_json* device = from.find("device")) {
        result.measured.device = device_state_of(*device);
        if (!result.measured.device) throw bad_member{"device"};
    }
    if (const ordered_json* phases = from.find("phase_seconds")) {
        result.measured.phases = phase_seconds_of(*phases);
        if (!result.measured.phases) throw bad_member{"phase_seconds"};
    }
    if (const ordered_json* resources = from.find("resources")) {
        result.kernel = kernel_of(*resources);
        if (!result.kernel) throw bad_member{"resources"};
    }
    result.code = from.text("code");
    result.same_as = from.values("same_as");
    result.log = from.text("log");
    result.compile_seconds = from.number("compile_seconds", 0);
    result.from_cache = from.truth("from_cache");
    result.deaths = from.count("deaths");
    result.finished = from.text("finished");
    if (std::string why = why_invalid(result); !why.empty()) throw bad_member{std::move(why)};
    return result;
}

race_result_info race_of(const ordered_json& value)
{
    const members from(value);
    race_result_info race;
    race.workload = from.needed_values("workload");
    race.verdict = from.text("verdict");
    race.equal_within = from.number("equal_within", 0);
    for (const ordered_json& json : from.array("entries")) {
        const members entry(json);
        race.entries.push_back({entry.needed_values("parameters"), entry.samples("samples_ns")});
        if (entry.find("result_median_ns") != nullptr)
            race.entries.back().result_median_ns = entry.number("result_median_ns", 0);
    }
    if (std::string why = why_invalid(race); !why.empty()) throw bad_member{std::move(why)};
    return race;
}

}  // namespace

}  // namespace launchbox
