// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_messages.hpp"

#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "support/error.hpp"
#include "tune/store/result_json.hpp"
#include "tune/types/sample_time.hpp"
#include "tune/types/work_amounts.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

namespace {

using message_json = nlohmann::ordered_json;

// Nothing that we say is deeper; the library writes what is nested by recursion.
constexpr int max_nesting = 32;

// What the library throws, in our words.
template <class Read>
auto reading_message(Read read)
{
    try {
        return read();
    } catch (const message_json::exception& failure) {
        throw error(std::string("a message of another rank cannot be read: ") + failure.what());
    }
}

assignment values_of(const message_json& from)
{
    std::optional<assignment> values = assignment_of(from);
    if (!values) throw error("a message of another rank has values that are none");
    return *std::move(values);
}

void refuse_deep(std::string_view text)
{
    int depth = 0;
    bool in_string = false, escaped = false;
    for (const char c : text) {
        if (in_string) {
            if (escaped)
                escaped = false;
            else if (c == '\\')
                escaped = true;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > max_nesting) throw error("a message of another rank is nested too deep");
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
}

struct integer_of_gpu {
    const char* name;
    int gpu_device::*value;
};
constexpr integer_of_gpu integers_of_gpu[]{{"index", &gpu_device::index},
                                           {"ecc", &gpu_device::ecc},
                                           {"sms", &gpu_device::sms},
                                           {"threads_per_sm", &gpu_device::threads_per_sm},
                                           {"blocks_per_sm", &gpu_device::blocks_per_sm},
                                           {"registers_per_sm", &gpu_device::registers_per_sm},
                                           {"registers_per_block", &gpu_device::registers_per_block},
                                           {"shared_per_sm", &gpu_device::shared_per_sm},
                                           {"shared_per_block", &gpu_device::shared_per_block},
                                           {"shared_per_block_opt_in", &gpu_device::shared_per_block_opt_in},
                                           {"reserved_shared_per_block", &gpu_device::reserved_shared_per_block},
                                           {"threads_per_block", &gpu_device::threads_per_block}};

struct text_of_facts {
    const char* name;
    std::string rank_facts::*text;
};
constexpr text_of_facts texts_of_facts[]{
    {"version", &rank_facts::version},         {"host", &rank_facts::host},       {"spec_hash", &rank_facts::spec_hash},
    {"source_hash", &rank_facts::source_hash}, {"driver", &rank_facts::driver},   {"toolkit", &rank_facts::toolkit},
    {"no_gpu", &rank_facts::no_gpu},           {"failure", &rank_facts::failure}, {"hint", &rank_facts::hint}};

}  // namespace

// Names and logs are bytes, JSON is UTF-8: what is not becomes a replacement character, as in a worker's messages.
std::string text_of(const cluster_message& message)
{
    const auto dumped = [](const message_json& said) {
        return said.dump(-1, ' ', false, message_json::error_handler_t::replace) + '\n';
    };
    if (message.bytes.empty()) return dumped(message.said);
    message_json said = message.said;
    said["bytes"] = message.bytes.size();
    return dumped(said) + message.bytes;
}

cluster_message cluster_message_of(const std::string& text)
{
    if (text.size() > max_message_bytes) throw error("a message of another rank is too large");
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) throw error("a message of another rank has no end");
    refuse_deep(std::string_view(text).substr(0, end));
    return reading_message([&] {
        cluster_message message{.said = message_json::parse(text.begin(), text.begin() + static_cast<long>(end)),
                                .bytes = text.substr(end + 1)};
        if (!message.said.is_object()) throw error("a message of another rank is no object");
        std::size_t bytes = 0;
        if (const auto told = message.said.find("bytes"); told != message.said.end()) {
            if (!told->is_number_unsigned()) throw error("a message of another rank has a size that is none");
            bytes = told->get<std::size_t>();
            message.said.erase(told);
        }
        if (bytes != message.bytes.size()) throw error("a message of another rank is cut, or longer than it says");
        return message;
    });
}

std::string text_in(const cluster_message& message, const char* name)
{
    return reading_message([&] { return message.said.at(name).get<std::string>(); });
}

long number_in(const cluster_message& message, const char* name)
{
    const auto found = message.said.find(name);
    if (found == message.said.end() || !found->is_number_integer())
        throw error(std::string("a message of another rank has no number '") + name + "'");
    return found->get<long>();
}

message_json json_of(const gpu_device& gpu)
{
    message_json to{{"name", gpu.name},
                    {"uuid", gpu.uuid},
                    {"capability", {gpu.capability.major, gpu.capability.minor}},
                    {"memory_bytes", gpu.memory_bytes},
                    {"block_dimensions", gpu.block_dimensions},
                    {"grid_dimensions", gpu.grid_dimensions}};
    for (const integer_of_gpu& integer : integers_of_gpu) to[integer.name] = gpu.*integer.value;
    to["hardware"] = json_of(gpu.hardware);
    return to;
}

gpu_device gpu_of(const message_json& from)
{
    return reading_message([&] {
        gpu_device gpu;
        from.at("name").get_to(gpu.name);
        from.at("uuid").get_to(gpu.uuid);
        from.at("capability").at(0).get_to(gpu.capability.major);
        from.at("capability").at(1).get_to(gpu.capability.minor);
        from.at("memory_bytes").get_to(gpu.memory_bytes);
        from.at("block_dimensions").get_to(gpu.block_dimensions);
        from.at("grid_dimensions").get_to(gpu.grid_dimensions);
        for (const integer_of_gpu& integer : integers_of_gpu) from.at(integer.name).get_to(gpu.*integer.value);
        for (const integer_of_gpu& integer : integers_of_gpu)
            if (gpu.*integer.value < 0) throw error("a message of another rank has a GPU that is none");
        const std::optional<gpu_hardware> hardware = gpu_hardware_of(from.at("hardware"));
        if (!hardware) throw error("a message of another rank has a GPU that is none");
        gpu.hardware = *hardware;
        return gpu;
    });
}

message_json json_of(const rank_facts& facts)
{
    message_json to{{"is", "hello"}, {"rank", facts.rank}, {"cores", facts.cores}, {"gpus", message_json::array()}};
    to["lacks_something"] = facts.lacks_something;
    for (const text_of_facts& member : texts_of_facts) to[member.name] = facts.*member.text;
    for (const gpu_device& gpu : facts.gpus) to["gpus"].push_back(json_of(gpu));
    return to;
}

rank_facts facts_of(const message_json& from)
{
    return reading_message([&] {
        rank_facts facts;
        from.at("rank").get_to(facts.rank);
        from.at("version").get_to(facts.version);
        try {
            rank_facts all = facts;
            from.at("cores").get_to(all.cores);
            from.at("lacks_something").get_to(all.lacks_something);
            for (const text_of_facts& member : texts_of_facts) from.at(member.name).get_to(all.*member.text);
            for (const message_json& gpu : from.at("gpus")) all.gpus.push_back(gpu_of(gpu));
            return all;
        } catch (const std::exception& failure) {
            facts.failure = std::string("what it says of itself cannot be read: ") + failure.what();
            facts.hint = "start the same launchbox-mpi on all nodes";
            return facts;
        }
    });
}

message_json json_of(const tune_job& job)
{
    return {{"candidate", job.candidate}, {"workload", job.workload}, {"parameters", json_of(job.parameters)}};
}

tune_job job_of(const message_json& from)
{
    return reading_message([&] {
        return tune_job{.candidate = number_at<std::size_t>(from, "candidate"),
                        .workload = number_at<std::size_t>(from, "workload"),
                        .parameters = values_of(from.at("parameters"))};
    });
}

message_json json_of(const measure_request& request)
{
    return {{"best_ns", request.best_ns},
            {"samples", request.samples},
            {"is_reference", request.is_reference},
            {"repeated", request.repeated}};
}

measure_request request_of(const message_json& from)
{
    return reading_message([&] {
        return measure_request{.best_ns = from.at("best_ns").get<double>(),
                               .samples = number_at<int>(from, "samples"),
                               .is_reference = from.at("is_reference").get<bool>(),
                               .repeated = from.at("repeated").get<bool>()};
    });
}

message_json json_of(const prepared_job& made)
{
    message_json to{{"status", static_cast<int>(made.status)},
                    {"reason", made.reason},
                    {"code", made.code},
                    {"same_when_equal", made.same_when_equal},
                    {"log", made.log},
                    {"compile_seconds", made.compile_seconds},
                    {"from_cache", made.from_cache},
                    {"machine_failure", made.machine_failure}};
    if (made.kernel) to["kernel"] = json_of(*made.kernel);
    for (const work_kind& kind : work_kinds)
        if (const std::optional<double>& amount = made.work.*kind.amount) to["work"][kind.name] = *amount;
    return to;
}

prepared_job prepared_of(const message_json& from)
{
    return reading_message([&] {
        prepared_job made;
        const int status = number_at<int>(from, "status");
        if (status < 0 || status > static_cast<int>(build_status::compile_timeout))
            throw error("a message of another rank has a status that is none");
        made.status = static_cast<build_status>(status);
        from.at("reason").get_to(made.reason);
        from.at("code").get_to(made.code);
        from.at("same_when_equal").get_to(made.same_when_equal);
        from.at("log").get_to(made.log);
        from.at("compile_seconds").get_to(made.compile_seconds);
        from.at("from_cache").get_to(made.from_cache);
        from.at("machine_failure").get_to(made.machine_failure);
        if (!is_duration(made.compile_seconds)) throw error("a message of another rank has a duration that is no time");
        if (const auto kernel = from.find("kernel"); kernel != from.end()) {
            made.kernel = kernel_of(*kernel);
            if (!made.kernel) throw error("a message of another rank has a kernel that is none");
        }
        if (const auto work = from.find("work"); work != from.end())
            for (const work_kind& kind : work_kinds)
                if (const auto amount = work->find(kind.name); amount != work->end()) {
                    made.work.*kind.amount = amount->get<double>();
                    if (!is_work(amount->get<double>()))
                        throw error("a message of another rank has an amount of work that is none");
                }
        return made;
    });
}

message_json json_of(const measurement& measured)
{
    message_json to = message_json::parse(answer_line(measured));
    to["machine_failure"] = measured.machine_failure;
    return to;
}

measurement measured_of(const message_json& from)
{
    return reading_message([&] {
        measurement measured = message_of(from.dump()).answer;
        from.at("machine_failure").get_to(measured.machine_failure);
        if (!measured.machine_failure.empty()) return measured;
        stored_result as_stored;
        as_stored.measured = std::move(measured);
        if (const std::string why = why_invalid(as_stored); !why.empty())
            throw error("a message of another rank has a measurement that is none: " + why);
        return std::move(as_stored.measured);
    });
}

message_json json_of(const error& failure)
{
    return {{"what", failure.what()}, {"hint", failure.hint()}, {"status", static_cast<int>(failure.status())}};
}

error failure_of(const message_json& from, const std::string& where)
{
    return reading_message([&] {
        const int status = number_at<int>(from, "status");
        if (status < static_cast<int>(exit_status::check_failed) || status > static_cast<int>(exit_status::interrupted))
            throw error("a message of another rank has a status that is none");
        return error(where + ": " + from.at("what").get<std::string>(), from.at("hint").get<std::string>(),
                     static_cast<exit_status>(status));
    });
}

}  // namespace launchbox
