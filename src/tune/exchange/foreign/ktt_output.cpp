// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <deque>

#include "tune/exchange/foreign/formats.hpp"
#include "tune/exchange/foreign/json_pieces.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

struct ktt_reader {
    foreign_diagnostics& diagnostics;
    std::string hash;
    environment_info environment;
    std::string started;
    double unit_ns = 1e6;
    std::deque<foreign_run> runs;

    void read_metadata(const ordered_json& metadata);
    void read(const ordered_json& entry, std::size_t number);
    foreign_run& run_of(const std::string& kernel);
};

std::optional<kernel_info> kernel_in(const ordered_json& entry);

}  // namespace

std::vector<recorded_run> read_ktt_output(const foreign_text& file, foreign_diagnostics& diagnostics)
{
    ktt_reader reader{diagnostics, file.hash, {}, {}, 1e6, {}};
    std::string_view results;
    json_pieces members(file.text);
    bool cut = false, unit_known = false;
    while (const std::optional<json_piece> member = members.next()) {
        cut |= !member->whole;
        if (member->name == "Results") results = member->text;
        if (member->name != "Metadata") continue;
        if (const std::optional<ordered_json> metadata = parse_piece(member->text)) {
            reader.read_metadata(*metadata);
            unit_known = true;
        }
    }
    if (!unit_known) diagnostics.say("has no metadata: times are assumed to be milliseconds");
    const bool closed = read_objects(results, "entry", diagnostics, [&](const ordered_json& value, std::size_t number) {
        reader.read(value, number);
    });
    if (!closed || cut || !members.closed()) diagnostics.say("is truncated: all candidates up to its end are read");
    std::vector<recorded_run> runs;
    for (foreign_run& run : reader.runs) runs.push_back(run.finish(static_cast<std::int64_t>(runs.size() + 1)));
    return runs;
}

namespace {

void ktt_reader::read_metadata(const ordered_json& metadata)
{
    environment.gpu = text_member(metadata, "Device");
    started = foreign_timestamp(text_member(metadata, "Timestamp"));
    const std::string unit = text_member(metadata, "TimeUnit");
    if (unit == "Nanoseconds")
        unit_ns = 1;
    else if (unit == "Microseconds")
        unit_ns = 1e3;
    else if (unit == "Seconds")
        unit_ns = 1e9;
    else if (unit != "Milliseconds")
        diagnostics.say("has an unknown TimeUnit: times are assumed to be milliseconds");
}

foreign_run& ktt_reader::run_of(const std::string& kernel)
{
    for (foreign_run& run : runs)
        if (run.info.name == kernel) return run;
    foreign_run& made = runs.emplace_back(diagnostics, runs.empty() ? hash : fmt::format("{}-{}", hash, runs.size()));
    made.info.name = kernel;
    made.info.environment = environment;
    made.info.started = started;
    return made;
}

void ktt_reader::read(const ordered_json& entry, std::size_t number)
{
    const std::string where = fmt::format("entry {}", number);
    stored_result result;
    if (const ordered_json* pairs = member_of(entry, "Configuration"); pairs != nullptr && pairs->is_array())
        for (const ordered_json& pair : *pairs) {
            const ordered_json* value = member_of(pair, "Value");
            const std::string name = text_member(pair, "Name");
            if (value == nullptr || name.empty()) {
                diagnostics.add("left out, since a parameter has no value", where);
                return;
            }
            result.parameters.values.emplace_back(name, foreign_value(*value));
        }
    result.kernel = kernel_in(entry);
    measurement& measured = result.measured;
    measured.seconds =
        foreign_cost(entry, "TotalDuration", unit_ns / 1e9) + foreign_cost(entry, "TotalOverhead", unit_ns / 1e9);
    const std::string status = text_member(entry, "Status");
    if (status == "Ok") {
        const ordered_json* time = member_of(entry, "TotalDuration");
        const std::optional<double> sample = time != nullptr ? foreign_time(*time, unit_ns) : std::nullopt;
        if (!sample) {
            diagnostics.add(no_foreign_time, where);
            return;
        }
        measured.samples_ns = {*sample};
    } else {
        const bool known = status == "ComputationFailed" || status == "ValidationFailed" ||
                           status == "CompilationFailed" || status == "DeviceLimitsExceeded";
        if (!known) diagnostics.add("with the unknown status '" + status + "'", where);
        measured.status = status == "ValidationFailed"       ? outcome::wrong_result
                          : status == "CompilationFailed"    ? outcome::compile_error
                          : status == "DeviceLimitsExceeded" ? outcome::rejected
                                                             : outcome::launch_error;
        measured.reason = status;
    }
    run_of(text_member(entry, "KernelName")).add(std::move(result));
}

std::optional<std::int64_t> count_in(const ordered_json& object, const char* name, std::int64_t max)
{
    const ordered_json* value = member_of(object, name);
    if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
    const auto count = value->get<std::uint64_t>();
    if (count > static_cast<std::uint64_t>(max)) return std::nullopt;
    return static_cast<std::int64_t>(count);
}

// KTT uses OpenCL's names: its local memory is shared memory, its private memory is local memory.
std::optional<kernel_info> kernel_in(const ordered_json& entry)
{
    const ordered_json* computations = member_of(entry, "ComputationResults");
    // With several kernels, none has the candidate's resources.
    if (computations == nullptr || !computations->is_array() || computations->size() != 1) return std::nullopt;
    const ordered_json& computation = computations->front();
    const ordered_json* data = member_of(computation, "CompilationData");
    if (data == nullptr) return std::nullopt;
    constexpr std::int64_t max_bytes = std::int64_t{1} << 40;
    kernel_info kernel;
    kernel.name = text_member(computation, "KernelFunction");
    if (const auto registers = count_in(*data, "RegistersCount", 1024))
        kernel.figures.registers = static_cast<int>(*registers);
    kernel.figures.static_shared_bytes = count_in(*data, "LocalMemorySize", max_bytes);
    kernel.figures.stack_frame_bytes = count_in(*data, "PrivateMemorySize", max_bytes);
    if (const auto threads = count_in(*data, "MaxWorkGroupSize", 1024))
        kernel.bounds.max_threads = {static_cast<int>(*threads), 1, 1};
    return kernel;
}

}  // namespace

}  // namespace launchbox
