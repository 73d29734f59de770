// Records as JSON between the processes of launchbox: each member under its name, unknown values omitted. The input is
// not trusted: a member that is missing, of another type or out of range is an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "support/error.hpp"
#include "support/fields.hpp"

namespace launchbox {

using message_json = nlohmann::ordered_json;

template <class Value>
message_json message_of_value(const Value& value)
{
    if constexpr (has_fields<Value>) {
        message_json to = message_json::object();
        each_field(value, [&]<class Member>(const char* name, const Member& member) {
            if constexpr (requires { member.has_value(); }) {
                if (member) to[name] = message_of_value(*member);
            } else {
                to[name] = message_of_value(member);
            }
        });
        return to;
    } else if constexpr (std::is_enum_v<Value>) {
        return static_cast<int>(value);
    } else if constexpr (std::floating_point<Value>) {
        return std::isfinite(value) ? message_json(value)
                                    : message_json(std::to_string(value));  // JSON has no infinity
    } else if constexpr (requires { requires has_fields<typename Value::value_type>; }) {
        message_json to = message_json::array();
        for (const auto& element : value) to.push_back(message_of_value(element));
        return to;
    } else {
        return value;
    }
}

[[noreturn]] inline void refuse_member(const char* name)
{
    throw error(std::string("a message of another process has an invalid ") + name);
}

/// Throws `error`, and the library's exception for a member that is missing or of another type. An enumeration needs a
/// `last_of` beside it.
template <class Value>
void read_message(const message_json& from, const char* name, Value& value)
{
    if constexpr (has_fields<Value>) {
        if (!from.is_object()) refuse_member(name);
        each_field(value, [&]<class Member>(const char* member_name, Member& member) {
            if constexpr (requires { member.has_value(); }) {
                if (const auto found = from.find(member_name); found != from.end())
                    read_message(*found, member_name, member.emplace());
            } else {
                read_message(from.at(member_name), member_name, member);
            }
        });
    } else if constexpr (std::is_enum_v<Value>) {
        int number = 0;
        read_message(from, name, number);
        if (number < 0 || number > static_cast<int>(last_of(value))) refuse_member(name);
        value = static_cast<Value>(number);
    } else if constexpr (std::integral<Value> && !std::same_as<Value, bool>) {
        const bool fits = from.is_number_unsigned()
                              ? std::in_range<Value>(from.get<std::uint64_t>())
                              : from.is_number_integer() && std::in_range<Value>(from.get<std::int64_t>());
        if (!fits) refuse_member(name);
        value = from.get<Value>();
    } else if constexpr (std::floating_point<Value>) {
        if (!from.is_string()) return from.get_to(value), void();
        const std::string text = from.get<std::string>();
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure != std::errc() || end != text.data() + text.size()) refuse_member(name);
    } else if constexpr (requires { std::tuple_size<Value>::value; }) {
        if (!from.is_array() || from.size() != value.size()) refuse_member(name);
        for (std::size_t i = 0; i < value.size(); ++i) read_message(from[i], name, value[i]);
    } else if constexpr (requires { value.emplace_back(); } && !std::same_as<Value, std::string>) {
        if (!from.is_array()) refuse_member(name);
        value.clear();
        for (const message_json& element : from) read_message(element, name, value.emplace_back());
    } else {
        from.get_to(value);
    }
}

/// Turns the library's exceptions into messages of launchbox.
template <class Read>
auto reading_message(Read read)
{
    try {
        return read();
    } catch (const message_json::exception& failure) {
        throw error(std::string("a message of another process cannot be read: ") + failure.what());
    }
}

/// Throws `error`. `name` is used in messages.
template <has_fields Record>
Record record_of(const message_json& from, const char* name)
{
    return reading_message([&] {
        Record record;
        read_message(from, name, record);
        return record;
    });
}

}  // namespace launchbox
