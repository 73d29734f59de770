// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_messages.hpp"

#include <exception>
#include <ranges>
#include <string_view>
#include <utility>

#include "tune/store/result_json.hpp"
#include "tune/types/sample_time.hpp"

namespace launchbox {

void to_json(message_json& to, const assignment& values)
{
    to = json_of(values);
}

void from_json(const message_json& from, assignment& values)
{
    if (!read_json(from, values)) refuse_member("assignment");
}

namespace {

// Each needs a thread and a process.
constexpr unsigned max_jobs = 4096;

// Our messages are never deeper; the library writes nested values recursively.
constexpr int max_nesting = 32;

// For figures that are counts and sizes.
template <class Value>
void refuse_negative(const char* name, const Value& value)
{
    if constexpr (has_fields<Value>)
        each_field(value, [](const char* member, const auto& figure) { refuse_negative(member, figure); });
    else if constexpr (std::is_arithmetic_v<Value>)
        value < 0 ? refuse_member(name) : void();
    else if constexpr (requires { value.has_value(); })
        value ? refuse_negative(name, *value) : void();
    else if constexpr (std::ranges::range<Value> && !std::same_as<Value, std::string>)
        for (const auto& element : value) refuse_negative(name, element);
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

}  // namespace

// Names and logs are bytes, but JSON is UTF-8: invalid bytes become replacement characters, as in a worker's messages.
std::string encoded(const cluster_message& message)
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
        if (!message.said.is_object()) throw error("a message of another rank is not an object");
        std::size_t bytes = 0;
        if (const auto told = message.said.find("bytes"); told != message.said.end()) {
            if (!told->is_number_unsigned()) throw error("a message of another rank has an invalid size");
            bytes = told->get<std::size_t>();
            message.said.erase(told);
        }
        if (bytes != message.bytes.size())
            throw error("a message of another rank is truncated, or longer than it says");
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

std::size_t place_in(const message_json& from, const char* name)
{
    return reading_message([&] {
        std::size_t place = 0;
        read_message(from.at(name), name, place);
        return place;
    });
}

rank_facts facts_of(const message_json& from)
{
    rank_facts facts;
    reading_message([&] {
        read_message(from.at("rank"), "rank", facts.rank);
        from.at("version").get_to(facts.version);
        return 0;
    });
    try {
        auto all = record_of<rank_facts>(from, "hello");
        refuse_negative("gpus", all.gpus);
        return all;
    } catch (const std::exception& failure) {
        facts.failure = std::string("its description of itself cannot be read: ") + failure.what();
        facts.hint = "start the same launchbox-mpi on all nodes";
        return facts;
    }
}

rank_role role_of(const message_json& from)
{
    auto role = record_of<rank_role>(from, "role");
    refuse_negative("gpus", role.gpus);
    if (role.jobs > max_jobs || !(role.silence_seconds > 0 && role.silence_seconds <= 86400)) refuse_member("role");
    return role;
}

prepared_job prepared_of(const message_json& from)
{
    auto made = record_of<prepared_job>(from, "prepared");
    if (!is_duration(made.build.compile_seconds)) refuse_member("compile_seconds");
    each_field(made.work, [](const char* name, const std::optional<double>& amount) {
        if (amount && !is_work(*amount)) refuse_member(name);
    });
    if (!made.build.kernel) return made;
    refuse_negative("kernel", *made.build.kernel);
    set_architecture(*made.build.kernel, std::string(made.build.kernel->architecture));
    return made;
}

measurement measured_of(const message_json& from)
{
    stored_result as_stored;
    as_stored.measured = record_of<measurement>(from, "measurement");
    if (!as_stored.measured.machine_failure.empty()) return std::move(as_stored.measured);
    if (const std::string why = why_invalid(as_stored); !why.empty())
        throw error("a message of another rank has an invalid measurement: " + why);
    return std::move(as_stored.measured);
}

message_json json_of(const error& failure)
{
    return {{"what", failure.what()}, {"hint", failure.hint()}, {"status", static_cast<int>(failure.status())}};
}

error failure_of(const message_json& from, const std::string& where)
{
    return reading_message([&] {
        int status = 0;
        read_message(from.at("status"), "status", status);
        if (status < static_cast<int>(exit_status::check_failed) || status > static_cast<int>(exit_status::interrupted))
            throw error("a message of another rank has an invalid status");
        return error(where + ": " + from.at("what").get<std::string>(), from.at("hint").get<std::string>(),
                     static_cast<exit_status>(status));
    });
}

}  // namespace launchbox
