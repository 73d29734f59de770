// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tune/exchange/foreign/formats.hpp"
#include "tune/exchange/foreign/json_pieces.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

// In nanoseconds. Writers of the format spell it "miliseconds"; a missing unit means milliseconds.
std::optional<double> unit_named(std::string unit)
{
    std::transform(unit.begin(), unit.end(), unit.begin(),
                   [](unsigned char byte) { return static_cast<char>(std::tolower(byte)); });
    if (unit.empty() || unit == "ms" || unit == "milliseconds" || unit == "miliseconds" || unit == "millisecond")
        return 1e6;
    if (unit == "s" || unit == "seconds" || unit == "second" || unit == "sec") return 1e9;
    if (unit == "us" || unit == "microseconds" || unit == "microsecond") return 1e3;
    if (unit == "ns" || unit == "nanoseconds" || unit == "nanosecond") return 1;
    return std::nullopt;
}

struct t4_reader {
    foreign_run& run;
    foreign_diagnostics& diagnostics;
    double unit_ns = 1e6;

    void read_metadata(const ordered_json& metadata);
    void read(const ordered_json& entry, std::size_t number);
    bool read_samples(const std::string& where, const ordered_json& times, const ordered_json* time,
                      measurement& measured);
};

const ordered_json* measured(const ordered_json& entry, const char* name);
void read_own_outcome(const ordered_json& entry, measurement& measured);
outcome outcome_of(const std::string& invalidity, bool& known);

}  // namespace

std::vector<recorded_run> read_t4_results(const foreign_text& file, foreign_diagnostics& diagnostics)
{
    foreign_run run(diagnostics, file.hash);
    t4_reader reader{run, diagnostics};
    // The format has no kernel name: the file name stands for it.
    const std::size_t folder = file.name.find_last_of('/');
    run.info.name = folder == std::string::npos ? file.name : file.name.substr(folder + 1);
    std::string_view results;
    json_pieces members(file.text);
    bool cut = false;
    while (const std::optional<json_piece> member = members.next()) {
        cut |= !member->whole;
        if (member->name == "results") {
            results = member->text;
            continue;
        }
        const std::optional<ordered_json> value = parse_piece(member->text);
        if (!value) continue;
        if (member->name == "metadata") reader.read_metadata(*value);
        if (member->name == "schema_version" && *value != "1.0.0")
            diagnostics.say("is of another version of T4 than 1.0.0: the known parts are read");
    }
    const bool closed =
        read_objects(results, "result", diagnostics,
                     [&](const ordered_json& value, std::size_t number) { reader.read(value, number); });
    if (!closed || cut || !members.closed()) diagnostics.say("is truncated: all candidates up to its end are read");
    std::vector<recorded_run> runs;
    runs.push_back(run.finish(1));
    return runs;
}

namespace {

void t4_reader::read_metadata(const ordered_json& metadata)
{
    const std::string unit = text_member(metadata, "timeunit");
    if (const std::optional<double> known = unit_named(unit))
        unit_ns = *known;
    else
        diagnostics.say("has an unknown timeunit: times are assumed to be milliseconds");
    if (const ordered_json* own = member_of(metadata, "launchbox")) {
        read_own_facts(*own, run.facts);
        run.info.environment.gpu = text_member(*own, "device_name");
        if (const std::string name = text_member(*own, "kernel_name"); !name.empty()) run.info.name = name;
    }
}

void t4_reader::read(const ordered_json& entry, std::size_t number)
{
    const std::string where = fmt::format("result {}", number);
    const ordered_json* parameters = member_of(entry, "configuration");
    if (parameters == nullptr || !parameters->is_object() || parameters->empty()) {
        diagnostics.add("left out, since there are no parameters", where);
        return;
    }
    stored_result result;
    for (const auto& [name, value] : parameters->items())
        result.parameters.values.emplace_back(name, foreign_value(value));
    const ordered_json none = ordered_json::object();
    const ordered_json* times = member_of(entry, "times");
    if (times == nullptr || !times->is_object()) times = &none;
    const double unit_s = unit_ns / 1e9;
    result.compile_seconds = foreign_cost(*times, "compilation_time", unit_s);
    if (result.compile_seconds == 0) result.compile_seconds = foreign_cost(*times, "compilation", unit_s);
    const double validation = foreign_cost(*times, "validation", unit_s);
    result.measured.seconds = foreign_cost(*times, "benchmark", unit_s) + validation;
    result.finished = foreign_timestamp(text_member(entry, "timestamp"));

    const std::string invalidity = text_member(entry, "invalidity");
    const ordered_json* time = measured(entry, "time");
    bool known = true;
    const outcome what = outcome_of(invalidity, known);
    if (!known) diagnostics.add("with the unknown invalidity '" + invalidity + "'", where);
    if (what != outcome::measured) {
        const ordered_json* value = time != nullptr ? member_of(*time, "value") : nullptr;
        set_failure(result.measured, value != nullptr && value->is_string() ? value->get<std::string>() : invalidity,
                    what);
        read_own_outcome(entry, result.measured);
    } else {
        if (!read_samples(where, *times, time, result.measured)) return;
        // If the file does not say how long measuring took, it took at least the time of the samples.
        if (member_of(*times, "benchmark") == nullptr)
            for (const double samples_n : result.measured.samples_ns) result.measured.seconds += samples_n / 1e9;
        const ordered_json* verified = measured(entry, "verified");
        result.measured.verified = validation > 0 || (verified != nullptr && is_true(*verified, "value"));
        if (const ordered_json* all = member_of(entry, "measurements"); all != nullptr && all->is_array())
            for (const ordered_json& each : *all)
                if (const ordered_json* value = member_of(each, "value"))
                    add_foreign_quantity(result.measured, text_member(each, "name"), *value);
    }
    run.add(std::move(result));
}

bool t4_reader::read_samples(const std::string& where, const ordered_json& times, const ordered_json* time,
                             measurement& measured)
{
    std::optional<double> only;
    if (const ordered_json* value = time != nullptr ? member_of(*time, "value") : nullptr) {
        const std::string unit = text_member(*time, "unit");
        only = foreign_time(*value, unit.empty() ? unit_ns : unit_named(unit).value_or(unit_ns));
    }
    const bool has_some =
        read_foreign_samples(member_of(times, "runtimes"), unit_ns, only, only, measured, diagnostics, where);
    if (!has_some) diagnostics.add(no_foreign_time, where);
    return has_some;
}

// The measurement of that name.
const ordered_json* measured(const ordered_json& entry, const char* name)
{
    const ordered_json* all = member_of(entry, "measurements");
    if (all == nullptr || !all->is_array()) return nullptr;
    for (const ordered_json& value : *all)
        if (text_member(value, "name") == name) return &value;
    return nullptr;
}

// One T4 word covers several of our outcomes.
void read_own_outcome(const ordered_json& entry, measurement& failed)
{
    if (const ordered_json* own = measured(entry, "outcome"))
        if (const std::optional<outcome> named = outcome_named(text_member(*own, "value")))
            if (*named != outcome::measured) failed.status = *named;
    if (const ordered_json* reason = measured(entry, "reason")) failed.reason = text_member(*reason, "value");
}

outcome outcome_of(const std::string& invalidity, bool& known)
{
    if (invalidity == "correct" || invalidity.empty()) return outcome::measured;
    if (invalidity == "timeout") return outcome::hang;
    if (invalidity == "compile") return outcome::compile_error;
    if (invalidity == "correctness") return outcome::wrong_result;
    if (invalidity == "constraints") return outcome::rejected;
    known = invalidity == "runtime";
    return outcome::launch_error;
}

}  // namespace

}  // namespace launchbox
