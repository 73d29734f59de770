// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/worker_messages.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace launchbox {

namespace {

using nlohmann::json;

constexpr std::array phase_names{"ready", "load", "verify", "check", "measure"};

// Names and reasons are bytes; JSON is UTF-8, and what is not becomes a replacement character. File names and kernels
// come back as they went only when they are UTF-8, which the spec they come from is.
std::string line_of(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class Value>
void put(json& to, const char* name, const std::optional<Value>& value)
{
    if (value) to[name] = *value;
}

template <class Value>
void take(const json& from, const char* name, std::optional<Value>& value)
{
    if (const auto found = from.find(name); found != from.end()) value = found->get<Value>();
}

template <class Enumeration>
Enumeration enumeration(const json& from, int count)
{
    const int value = from.get<int>();
    if (value < 0 || value >= count) throw error("a message of a worker has a value out of range");
    return static_cast<Enumeration>(value);
}

json json_of(const task_argument& argument)
{
    json to{{"name", argument.name},
            {"type", argument.type},
            {"scalar", argument.scalar},
            {"count", argument.count},
            {"number", argument.number},
            {"integer", argument.integer},
            {"fill", static_cast<int>(argument.fill)},
            {"seed", argument.seed},
            {"file", argument.file},
            {"role", static_cast<int>(argument.role)}};
    put(to, "low", argument.low);
    put(to, "high", argument.high);
    put(to, "reset", argument.reset);
    // JSON has no numbers for these.
    if (!std::isfinite(argument.number)) to["number"] = std::to_string(argument.number);
    return to;
}

task_argument argument_of(const json& from)
{
    task_argument argument;
    from.at("name").get_to(argument.name);
    from.at("type").get_to(argument.type);
    from.at("scalar").get_to(argument.scalar);
    from.at("count").get_to(argument.count);
    const json& number = from.at("number");
    argument.number = number.is_string() ? std::stod(number.get<std::string>()) : number.get<double>();
    from.at("integer").get_to(argument.integer);
    argument.fill = enumeration<fill_kind>(from.at("fill"), 6);
    from.at("seed").get_to(argument.seed);
    from.at("file").get_to(argument.file);
    argument.role = enumeration<argument_role>(from.at("role"), 3);
    take(from, "low", argument.low);
    take(from, "high", argument.high);
    take(from, "reset", argument.reset);
    return argument;
}

json json_of(const measure_settings& settings)
{
    return {{"cold", settings.cold},
            {"rotate_inputs", settings.rotate_inputs},
            {"min_samples", settings.min_samples},
            {"max_samples", settings.max_samples},
            {"relative_error", settings.relative_error},
            {"max_seconds", settings.max_seconds},
            {"give_up_ratio", settings.give_up_ratio},
            {"hang_ratio", settings.hang_ratio},
            {"hang_seconds", settings.hang_seconds}};
}

measure_settings settings_of(const json& from)
{
    measure_settings settings;
    from.at("cold").get_to(settings.cold);
    from.at("rotate_inputs").get_to(settings.rotate_inputs);
    from.at("min_samples").get_to(settings.min_samples);
    from.at("max_samples").get_to(settings.max_samples);
    from.at("relative_error").get_to(settings.relative_error);
    from.at("max_seconds").get_to(settings.max_seconds);
    from.at("give_up_ratio").get_to(settings.give_up_ratio);
    from.at("hang_ratio").get_to(settings.hang_ratio);
    from.at("hang_seconds").get_to(settings.hang_seconds);
    return settings;
}

device_state state_of(const json& from)
{
    device_state state;
    take(from, "sm_clock_mhz", state.sm_clock_mhz);
    take(from, "memory_clock_mhz", state.memory_clock_mhz);
    take(from, "temperature_celsius", state.temperature_celsius);
    take(from, "power_milliwatts", state.power_milliwatts);
    state.throttling = from.value("throttling", "");
    return state;
}

phase_seconds phases_of(const json& from)
{
    phase_seconds phases;
    for (const phase_kind& kind : phase_kinds) phases.*kind.seconds = from.at(kind.name).get<double>();
    return phases;
}

measurement measurement_of(const json& from)
{
    measurement answer;
    const std::optional<outcome> what = outcome_named(from.at("outcome").get<std::string>());
    if (!what) throw error("a worker answers with an outcome that is none");
    answer.what = *what;
    from.at("reason").get_to(answer.reason);
    from.at("samples_ns").get_to(answer.samples_ns);
    from.at("dropped").get_to(answer.dropped);
    from.at("stopped_early").get_to(answer.stopped_early);
    from.at("verified").get_to(answer.verified);
    from.at("checksum").get_to(answer.checksum);
    from.at("warnings").get_to(answer.warnings);
    from.at("seconds").get_to(answer.seconds);
    from.at("sticky").get_to(answer.sticky);
    if (const auto device = from.find("device"); device != from.end()) answer.device = state_of(*device);
    if (const auto phases = from.find("phases"); phases != from.end()) answer.phases = phases_of(*phases);
    return answer;
}

// What the library throws, in our words.
template <class Read>
auto reading(const std::string& line, Read read)
{
    try {
        return read(json::parse(line));
    } catch (const json::exception& failure) {
        throw error(std::string("a message of a worker cannot be read: ") + failure.what());
    } catch (const std::logic_error& failure) {  // std::stod
        throw error(std::string("a message of a worker cannot be read: ") + failure.what());
    }
}

}  // namespace

std::string phase_line(worker_phase phase)
{
    return line_of({{"phase", phase_names[static_cast<std::size_t>(phase)]}});
}

std::string task_line(const gpu_task& task)
{
    json to{{"cubin_file", task.cubin_file},     {"kernel", task.kernel},
            {"threads", task.threads},           {"blocks", task.blocks},
            {"cluster", task.cluster},           {"dynamic_shared_bytes", task.dynamic_shared_bytes},
            {"workload", task.workload},         {"arguments", json::array()},
            {"variables", json::array()},        {"expected", task.expected},
            {"save_outputs", task.save_outputs}, {"absolute", task.absolute},
            {"relative", task.relative},         {"measure", json_of(task.measure)},
            {"best_ns", task.best_ns},           {"launch_seconds", task.launch_seconds},
            {"samples", task.samples},           {"repeated", task.repeated},
            {"cooperative", task.cooperative},   {"carveout_percent", task.carveout_percent},
            {"capture", task.capture},           {"replays", task.replays},
            {"compared_as", task.compared_as}};
    for (const task_argument& argument : task.arguments) to["arguments"].push_back(json_of(argument));
    for (const task_argument& variable : task.variables) to["variables"].push_back(json_of(variable));
    return line_of(to);
}

gpu_task task_of(const std::string& line)
{
    return reading(line, [](const json& from) {
        gpu_task task;
        from.at("cubin_file").get_to(task.cubin_file);
        from.at("kernel").get_to(task.kernel);
        from.at("threads").get_to(task.threads);
        from.at("blocks").get_to(task.blocks);
        from.at("cluster").get_to(task.cluster);
        from.at("dynamic_shared_bytes").get_to(task.dynamic_shared_bytes);
        from.at("workload").get_to(task.workload);
        for (const json& argument : from.at("arguments")) task.arguments.push_back(argument_of(argument));
        for (const json& variable : from.at("variables")) task.variables.push_back(argument_of(variable));
        from.at("expected").get_to(task.expected);
        from.at("save_outputs").get_to(task.save_outputs);
        from.at("absolute").get_to(task.absolute);
        from.at("relative").get_to(task.relative);
        task.measure = settings_of(from.at("measure"));
        from.at("best_ns").get_to(task.best_ns);
        from.at("launch_seconds").get_to(task.launch_seconds);
        from.at("samples").get_to(task.samples);
        from.at("repeated").get_to(task.repeated);
        from.at("cooperative").get_to(task.cooperative);
        from.at("carveout_percent").get_to(task.carveout_percent);
        from.at("capture").get_to(task.capture);
        from.at("replays").get_to(task.replays);
        from.at("compared_as").get_to(task.compared_as);
        return task;
    });
}

std::string answer_line(const measurement& answer)
{
    json to{{"outcome", name_of(answer.what)},
            {"reason", answer.reason},
            {"samples_ns", answer.samples_ns},
            {"dropped", answer.dropped},
            {"stopped_early", answer.stopped_early},
            {"verified", answer.verified},
            {"checksum", answer.checksum},
            {"warnings", answer.warnings},
            {"seconds", answer.seconds},
            {"sticky", answer.sticky}};
    if (answer.device) {
        json state{{"throttling", answer.device->throttling}};
        put(state, "sm_clock_mhz", answer.device->sm_clock_mhz);
        put(state, "memory_clock_mhz", answer.device->memory_clock_mhz);
        put(state, "temperature_celsius", answer.device->temperature_celsius);
        put(state, "power_milliwatts", answer.device->power_milliwatts);
        to["device"] = state;
    }
    if (answer.phases)
        for (const phase_kind& kind : phase_kinds) to["phases"][kind.name] = *answer.phases.*kind.seconds;
    return line_of(to);
}

worker_message message_of(const std::string& line)
{
    return reading(line, [](const json& from) {
        if (const auto phase = from.find("phase"); phase != from.end()) {
            const std::string name = phase->get<std::string>();
            for (std::size_t i = 0; i < phase_names.size(); ++i)
                if (name == phase_names[i]) return worker_message{static_cast<worker_phase>(i), {}};
            throw error("a worker is in a phase that is none");
        }
        return worker_message{std::nullopt, measurement_of(from)};
    });
}

}  // namespace launchbox
