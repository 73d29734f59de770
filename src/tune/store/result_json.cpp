// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tune/types/sample_time.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_members = 1000;  // of a candidate: more is nobody's

template <class Value>
ordered_json or_null(const std::optional<Value>& value)
{
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

// Reads members of one object; what is not as it must be is remembered.
class member_reader {
public:
    explicit member_reader(const ordered_json& object) : object_(object), good_(object.is_object()) {}

    template <class Integer>
    void read(const char* name, std::optional<Integer>& into)
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return;
        if (const std::optional<Integer> read = integer<Integer>(*value))
            into = read;
        else
            good_ = false;
    }

    void read(const char* name, std::optional<std::array<int, 3>>& into)
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return;
        std::array<int, 3> read{};
        good_ &= value->is_array() && value->size() == read.size();
        for (std::size_t i = 0; good_ && i < read.size(); ++i) {
            const std::optional<int> size = integer<int>((*value)[i]);
            good_ = size.has_value();
            read[i] = size.value_or(0);
        }
        if (good_) into = read;
    }

    void read(const char* name, std::string& into)
    {
        const ordered_json* value = find(name);
        if (value == nullptr) return;
        good_ &= value->is_string();
        if (value->is_string()) into = value->get<std::string>();
    }

    [[nodiscard]] bool good() const { return good_; }

private:
    const ordered_json* find(const char* name) const
    {
        if (!object_.is_object()) return nullptr;
        const auto found = object_.find(name);
        return found == object_.end() || found->is_null() ? nullptr : &*found;
    }

    // Nothing that is read here is ever below 0.
    template <class Integer>
    static std::optional<Integer> integer(const ordered_json& value)
    {
        if (!value.is_number_integer()) return std::nullopt;
        if (value.is_number_unsigned() &&
            value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Integer>::max()))
            return std::nullopt;
        const auto read = value.get<std::int64_t>();
        if (read < 0 || read > static_cast<std::int64_t>(std::numeric_limits<Integer>::max())) return std::nullopt;
        return static_cast<Integer>(read);
    }

    const ordered_json& object_;
    bool good_;
};

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
    return {{"sm_clock_mhz", or_null(state.sm_clock_mhz)},
            {"memory_clock_mhz", or_null(state.memory_clock_mhz)},
            {"temperature_celsius", or_null(state.temperature_celsius)},
            {"power_milliwatts", or_null(state.power_milliwatts)},
            {"throttling", state.throttling}};
}

ordered_json json_of(const gpu_hardware& hardware)
{
    ordered_json json = ordered_json::object();
    for (const hardware_figure& figure : hardware_figures) json[figure.name] = or_null(hardware.*figure.value);
    json["memory_gb_per_second"] = or_null(memory_gb_per_second(hardware));
    json["pci_bus"] = hardware.pci_bus.empty() ? ordered_json(nullptr) : ordered_json(hardware.pci_bus);
    return json;
}

ordered_json json_of(const phase_seconds& phases)
{
    ordered_json json = ordered_json::object();
    for (const phase_kind& kind : phase_kinds) json[kind.name] = phases.*kind.seconds;
    return json;
}

ordered_json json_of(const kernel_info& kernel)
{
    return {{"name", kernel.name},
            {"architecture", kernel.architecture},
            {"registers", or_null(kernel.registers)},
            {"spill_store_bytes", or_null(kernel.spill_store_bytes)},
            {"spill_load_bytes", or_null(kernel.spill_load_bytes)},
            {"shared_spill_store_bytes", or_null(kernel.shared_spill_store_bytes)},
            {"shared_spill_load_bytes", or_null(kernel.shared_spill_load_bytes)},
            {"stack_frame_bytes", or_null(kernel.stack_frame_bytes)},
            {"static_shared_bytes", or_null(kernel.static_shared_bytes)},
            {"barriers", or_null(kernel.barriers)},
            {"max_threads", or_null(kernel.max_threads)},
            {"required_threads", or_null(kernel.required_threads)},
            {"min_blocks", or_null(kernel.min_blocks)},
            {"register_cap", or_null(kernel.register_cap)},
            {"code_bytes", or_null(kernel.code_bytes)}};
}

// nlohmann::json keeps a whole number without a sign as an unsigned one.
bool fits_int64(const ordered_json& number)
{
    return !number.is_number_unsigned() || std::in_range<std::int64_t>(number.get<std::uint64_t>());
}

std::optional<assignment> assignment_of(const ordered_json& value)
{
    if (!value.is_object() || value.size() > max_members) return std::nullopt;
    assignment read;
    for (const auto& [name, item] : value.items()) {
        if (item.is_boolean())
            read.values.emplace_back(name, item.get<bool>());
        else if (item.is_number_integer() && fits_int64(item))
            read.values.emplace_back(name, item.get<std::int64_t>());
        else if (item.is_number_float() && std::isfinite(item.get<double>()))
            read.values.emplace_back(name, item.get<double>());
        else if (item.is_string())
            read.values.emplace_back(name, item.get<std::string>());
        else
            return std::nullopt;
    }
    return read;
}

std::optional<device_state> device_state_of(const ordered_json& value)
{
    device_state state;
    member_reader members(value);
    members.read("sm_clock_mhz", state.sm_clock_mhz);
    members.read("memory_clock_mhz", state.memory_clock_mhz);
    members.read("temperature_celsius", state.temperature_celsius);
    members.read("power_milliwatts", state.power_milliwatts);
    members.read("throttling", state.throttling);
    return members.good() ? std::optional(state) : std::nullopt;
}

std::optional<gpu_hardware> gpu_hardware_of(const ordered_json& value)
{
    gpu_hardware hardware;
    member_reader members(value);
    for (const hardware_figure& figure : hardware_figures) members.read(figure.name, hardware.*figure.value);
    members.read("pci_bus", hardware.pci_bus);
    return members.good() ? std::optional(hardware) : std::nullopt;
}

std::optional<phase_seconds> phase_seconds_of(const ordered_json& value)
{
    if (!value.is_object()) return std::nullopt;
    phase_seconds phases;
    for (const phase_kind& kind : phase_kinds) {
        const auto found = value.find(kind.name);
        if (found == value.end() || !found->is_number() || !is_duration(found->get<double>())) return std::nullopt;
        phases.*kind.seconds = found->get<double>();
    }
    return phases;
}

std::optional<kernel_info> kernel_of(const ordered_json& value)
{
    kernel_info kernel;
    member_reader members(value);
    members.read("name", kernel.name);
    std::string architecture;
    members.read("architecture", architecture);
    set_architecture(kernel, std::move(architecture));
    members.read("registers", kernel.registers);
    members.read("spill_store_bytes", kernel.spill_store_bytes);
    members.read("spill_load_bytes", kernel.spill_load_bytes);
    members.read("shared_spill_store_bytes", kernel.shared_spill_store_bytes);
    members.read("shared_spill_load_bytes", kernel.shared_spill_load_bytes);
    members.read("stack_frame_bytes", kernel.stack_frame_bytes);
    members.read("static_shared_bytes", kernel.static_shared_bytes);
    members.read("barriers", kernel.barriers);
    members.read("max_threads", kernel.max_threads);
    members.read("required_threads", kernel.required_threads);
    members.read("min_blocks", kernel.min_blocks);
    members.read("register_cap", kernel.register_cap);
    members.read("code_bytes", kernel.code_bytes);
    return members.good() ? std::optional(kernel) : std::nullopt;
}

std::string why_invalid(const stored_result& result)
{
    const measurement& measured = result.measured;
    if (!std::all_of(measured.samples_ns.begin(), measured.samples_ns.end(), is_time)) return "a sample is no time";
    if (measured.what == outcome::measured && measured.samples_ns.empty()) return "measured without samples";
    if (!(result.weight > 0) || !std::isfinite(result.weight)) return "the weight is not above 0";
    for (const work_kind& kind : work_kinds)
        if (const auto& amount = result.work.*kind.amount; amount && !is_work(*amount))
            return std::string("its ") + kind.name + " are no amount of work";
    if (!is_duration(measured.seconds) || !is_duration(result.compile_seconds)) return "a duration is no time";
    if (measured.dropped < 0 || result.deaths < 0) return "a count is below 0";
    return {};
}

std::string why_invalid(const device_record& device)
{
    if (device.name.empty()) return "it has no name";
    if (!std::all_of(device.calibration_ns.begin(), device.calibration_ns.end(), is_time)) return "a sample is no time";
    if (!is_duration(device.busy_seconds) || !is_duration(device.seconds)) return "a duration is no time";
    if (device.measured < 0 || device.failed < 0) return "a count is below 0";
    return {};
}

std::string why_invalid(const race_result_info& race)
{
    if (race.entries.empty()) return "a race without candidates";
    for (const race_entry& entry : race.entries)
        if (!std::all_of(entry.samples_ns.begin(), entry.samples_ns.end(), is_time) ||
            !is_time(entry.result_median_ns.value_or(0)))
            return "a sample is no time";
    if (race.verdict != "winner" && race.verdict != "equal") return "the verdict is neither winner nor equal";
    if (!(race.equal_within >= 0) || race.equal_within > longest_time_ns / shortest_time_ns)
        return "equal_within is no part of a time";
    return {};
}

}  // namespace launchbox
