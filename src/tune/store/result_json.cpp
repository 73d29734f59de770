// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "support/error.hpp"
#include "tune/types/objective.hpp"
#include "tune/types/sample_time.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_members = 1000;  // of a candidate, more than any real one has

template <class Value>
ordered_json or_null(const std::optional<Value>& value)
{
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

template <class Record>
ordered_json json_of_record(const Record& record)
{
    ordered_json json = ordered_json::object();
    each_field(record, [&](const char* name, const auto& member) {
        if constexpr (requires { member.has_value(); })
            json[name] = or_null(member);
        else
            json[name] = member;
    });
    return json;
}

// No number read here may be negative.
template <std::integral Integer>
bool read_member(const ordered_json& from, Integer& into)
{
    const bool fits = from.is_number_unsigned() ? std::in_range<Integer>(from.get<std::uint64_t>())
                                                : from.is_number_integer() && from.get<std::int64_t>() >= 0 &&
                                                      std::in_range<Integer>(from.get<std::int64_t>());
    if (fits) into = from.get<Integer>();
    return fits;
}

bool read_member(const ordered_json& from, std::array<int, 3>& into)
{
    if (!from.is_array() || from.size() != into.size()) return false;
    for (std::size_t i = 0; i < into.size(); ++i)
        if (!read_member(from[i], into[i])) return false;
    return true;
}

bool read_member(const ordered_json& from, std::string& into)
{
    if (from.is_string()) into = from.get<std::string>();
    return from.is_string();
}

template <class Value>
bool read_member(const ordered_json& from, std::optional<Value>& into)
{
    return read_member(from, into.emplace());
}

// What is null or missing is unknown.
template <class Record>
bool read_record(const ordered_json& from, Record& record)
{
    bool good = from.is_object();
    each_field(record, [&](const char* name, auto& member) {
        if (!good) return;
        const auto found = from.find(name);
        if (found != from.end() && !found->is_null()) good = read_member(*found, member);
    });
    return good;
}

}  // namespace

ordered_json json_of(const assignment& values)
{
    ordered_json json = ordered_json::object();
    for (const auto& [name, value] : values.values)
        std::visit([&json, &name = name](const auto& item) { json[name] = item; }, value);
    return json;
}

ordered_json json_of(const device_state& state)
{
    return json_of_record(state);
}

ordered_json json_of(const gpu_hardware& hardware)
{
    ordered_json json = ordered_json::object();
    for (const auto& figure : hardware_figures) json[figure.name] = or_null(hardware.*figure.member);
    json["memory_gb_per_second"] = or_null(memory_gb_per_second(hardware));
    json["pci_bus"] = hardware.pci_bus.empty() ? ordered_json(nullptr) : ordered_json(hardware.pci_bus);
    return json;
}

ordered_json json_of(const phase_seconds& phases)
{
    return json_of_record(phases);
}

ordered_json json_of(const measured_quantities& quantities)
{
    ordered_json json = ordered_json::object();
    for (const measured_quantity& quantity : quantities) json[quantity.name] = quantity.samples;
    return json;
}

ordered_json json_of(const kernel_info& kernel)
{
    return json_of_record(kernel);
}

// nlohmann::json stores a whole number without a sign as unsigned.
bool fits_int64(const ordered_json& number)
{
    return !number.is_number_unsigned() || std::in_range<std::int64_t>(number.get<std::uint64_t>());
}

bool read_json(const ordered_json& from, assignment& values)
{
    if (!from.is_object() || from.size() > max_members) return false;
    for (const auto& [name, item] : from.items()) {
        if (item.is_boolean())
            values.values.emplace_back(name, item.get<bool>());
        else if (item.is_number_integer() && fits_int64(item))
            values.values.emplace_back(name, item.get<std::int64_t>());
        else if (item.is_number_float() && std::isfinite(item.get<double>()))
            values.values.emplace_back(name, item.get<double>());
        else if (item.is_string())
            values.values.emplace_back(name, item.get<std::string>());
        else
            return false;
    }
    return true;
}

bool read_json(const ordered_json& from, device_state& state)
{
    return read_record(from, state);
}

bool read_json(const ordered_json& from, gpu_hardware& hardware)
{
    return read_record(from, hardware);
}

// All of them or none.
bool read_json(const ordered_json& from, phase_seconds& phases)
{
    return from.is_object() && std::ranges::all_of(phase_kinds, [&](const auto& kind) {
               const auto found = from.find(kind.name);
               if (found == from.end() || !found->is_number()) return false;
               phases.*kind.member = found->template get<double>();
               return is_duration(phases.*kind.member);
           });
}

bool read_json(const ordered_json& from, measured_quantities& quantities)
{
    if (!from.is_object() || from.size() > max_members) return false;
    for (const auto& [name, samples] : from.items()) {
        measured_quantity& quantity = quantities.emplace_back(measured_quantity{name, {}});
        if (!is_quantity_name(name) || name == time_quantity || !samples.is_array() || samples.empty()) return false;
        for (const ordered_json& sample : samples) {
            if (!sample.is_number() || !is_quantity(sample.get<double>())) return false;
            quantity.samples.push_back(sample.get<double>());
        }
    }
    return true;
}

bool read_json(const ordered_json& from, kernel_info& kernel)
{
    const bool good = read_record(from, kernel);
    set_architecture(kernel, std::string(kernel.architecture));
    return good;
}

namespace {

// The most parameters, or values of a workload. Names are looked up linearly, which takes minutes for 20,000 of them; a
// spec has at most 64 parameters.
constexpr std::size_t max_names = 256;

std::string too_many(const assignment& values, const char* what)
{
    if (values.values.size() <= max_names) return {};
    return "it has " + std::to_string(values.values.size()) + " " + what + ", and " + std::to_string(max_names) +
           " are allowed";
}

}  // namespace

std::string why_invalid(const stored_result& result)
{
    if (std::string why = too_many(result.parameters, "parameters"); !why.empty()) return why;
    if (std::string why = too_many(result.workload, "values of a workload"); !why.empty()) return why;
    const measurement& measured = result.measured;
    if (!std::all_of(measured.samples_ns.begin(), measured.samples_ns.end(), is_time))
        return "a sample is not a valid time";
    if (measured.status == outcome::measured && measured.samples_ns.empty()) return "measured without samples";
    if (!(result.weight > 0) || !std::isfinite(result.weight)) return "the weight is not above 0";
    for (const work_kind& kind : work_kinds)
        if (const auto& amount = result.work.*kind.amount; amount && !is_work(*amount))
            return std::string("its ") + kind.name + " are not a valid amount of work";
    if (!is_duration(measured.seconds) || !is_duration(result.compile_seconds)) return "a duration is not a valid time";
    if (measured.dropped < 0 || result.deaths < 0) return "a count is below 0";
    return {};
}

std::string why_invalid(const run_info& run)
{
    try {
        static_cast<void>(objective_of(run));
    } catch (const error& failure) {
        return failure.what();
    }
    return {};
}

std::string why_invalid(const device_record& device)
{
    if (device.name.empty()) return "it has no name";
    if (!std::all_of(device.calibration_ns.begin(), device.calibration_ns.end(), is_time))
        return "a sample is not a valid time";
    if (!is_duration(device.busy_seconds) || !is_duration(device.seconds)) return "a duration is not a valid time";
    if (device.measured < 0 || device.failed < 0) return "a count is below 0";
    return {};
}

std::string why_invalid(const race_result_info& race)
{
    if (race.entries.empty()) return "a race without candidates";
    for (const race_entry& entry : race.entries)
        if (std::string why = too_many(entry.parameters, "parameters"); !why.empty()) return why;
    if (std::string why = too_many(race.workload, "values of a workload"); !why.empty()) return why;
    for (const race_entry& entry : race.entries)
        if (!std::all_of(entry.samples_ns.begin(), entry.samples_ns.end(), is_time) ||
            !is_time(entry.result_median_ns.value_or(0)))
            return "a sample is not a valid time";
    if (race.verdict != "winner" && race.verdict != "equal") return "the verdict is neither winner nor equal";
    if (!(race.equal_within >= 0) || race.equal_within > longest_time_ns / shortest_time_ns)
        return "equal_within is not valid";
    return {};
}

}  // namespace launchbox
