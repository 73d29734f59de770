// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/worker_messages.hpp"

#include <algorithm>
#include <array>

#include "tune/types/message_json.hpp"

namespace launchbox {

static constexpr auto fields_of(const task_argument&)
{
    using of = task_argument;
    return std::tuple(field("name", &of::name), field("type", &of::type), field("scalar", &of::scalar),
                      field("count", &of::count), field("number", &of::number), field("integer", &of::integer),
                      field("fill", &of::fill), field("seed", &of::seed), field("file", &of::file),
                      field("role", &of::role), field("low", &of::low), field("high", &of::high),
                      field("reset", &of::reset));
}

static constexpr auto fields_of(const measure_settings&)
{
    using of = measure_settings;
    return std::tuple(field("cold", &of::cold), field("rotate_inputs", &of::rotate_inputs),
                      field("min_samples", &of::min_samples), field("max_samples", &of::max_samples),
                      field("relative_error", &of::relative_error), field("max_seconds", &of::max_seconds),
                      field("give_up_ratio", &of::give_up_ratio), field("hang_ratio", &of::hang_ratio),
                      field("hang_seconds", &of::hang_seconds));
}

static constexpr auto fields_of(const gpu_task&)
{
    using of = gpu_task;
    return std::tuple(
        field("cubin_file", &of::cubin_file), field("kernel", &of::kernel), field("threads", &of::threads),
        field("blocks", &of::blocks), field("cluster", &of::cluster),
        field("dynamic_shared_bytes", &of::dynamic_shared_bytes), field("cooperative", &of::cooperative),
        field("carveout_percent", &of::carveout_percent), field("workload", &of::workload),
        field("arguments", &of::arguments), field("variables", &of::variables), field("capture", &of::capture),
        field("compared_as", &of::compared_as), field("replays", &of::replays), field("expected", &of::expected),
        field("save_outputs", &of::save_outputs), field("makes_reference", &of::makes_reference),
        field("reference", &of::reference), field("absolute", &of::absolute), field("relative", &of::relative),
        field("measure", &of::measure), field("best_ns", &of::best_ns), field("best_joules", &of::best_joules),
        field("with_energy", &of::with_energy), field("launch_seconds", &of::launch_seconds),
        field("samples", &of::samples), field("repeated", &of::repeated));
}

namespace {

constexpr std::array<const char*, worker_phase_count> phase_names{"ready", "load", "verify", "check", "measure"};

// Names and reasons are bytes, but JSON is UTF-8: invalid bytes become replacement characters. File names and kernels
// survive because they come from the spec, which is UTF-8.
std::string line_of(const message_json& value)
{
    return value.dump(-1, ' ', false, message_json::error_handler_t::replace);
}

message_json parsed(const std::string& line)
{
    return reading_message([&] { return message_json::parse(line); });
}

}  // namespace

std::string phase_line(worker_phase phase)
{
    return line_of({{"phase", phase_names[static_cast<std::size_t>(phase)]}});
}

std::string task_line(const gpu_task& task)
{
    return line_of(message_of_value(task));
}

gpu_task task_of(const std::string& line)
{
    return record_of<gpu_task>(parsed(line), "task");
}

std::string answer_line(const measurement& answer)
{
    return line_of(message_of_value(answer));
}

std::optional<worker_phase> phase_in(const message_json& message)
{
    const auto phase = message.find("phase");
    if (phase == message.end()) return std::nullopt;
    const auto found = std::ranges::find_if(phase_names, [&](const char* name) { return *phase == name; });
    if (found == phase_names.end()) refuse_member("phase");
    return static_cast<worker_phase>(found - phase_names.begin());
}

worker_message message_of(const std::string& line)
{
    const message_json from = parsed(line);
    if (const auto phase = phase_in(from)) return {phase, {}};
    return {std::nullopt, record_of<measurement>(from, "answer")};
}

}  // namespace launchbox
