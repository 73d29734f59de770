// Values for JSON: names and paths are bytes, JSON is UTF-8; unknown values are null.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>

#include "support/fields.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

/// The text unchanged if it is printable UTF-8; otherwise with the offending bytes as \xNN.
inline std::string json_text(std::string_view text)
{
    return escape_for_terminal(text);
}

/// The text as `json_text` gives it; null if it is empty.
inline nlohmann::ordered_json text_or_null(const std::string& text)
{
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(json_text(text));
}

/// The value; null if unknown.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// element(value) for each of the values.
template <class Values, class Element>
nlohmann::ordered_json list_json(const Values& values, Element element)
{
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& value : values) all.push_back(element(value));
    return all;
}

/// The JSON of a record's member: texts, places and lists of them converted for JSON, null if unknown.
template <class Value>
nlohmann::ordered_json value_json(const Value& value)
{
    if constexpr (std::convertible_to<Value, std::string_view>) {
        return json_text(value);
    } else if constexpr (requires { value.has_value(); }) {
        return value ? value_json(*value) : nlohmann::ordered_json(nullptr);
    } else if constexpr (requires { optimisation_name(value); }) {
        return text_or_null(std::string(optimisation_name(value)));
    } else if constexpr (requires {
                             value.file;
                             value.line;
                         }) {
        return {{"file", json_text(value.file)}, {"line", value.line}};
    } else if constexpr (std::ranges::range<Value> && !std::same_as<Value, nlohmann::ordered_json>) {
        return list_json(value, [](const auto& element) { return value_json(element); });
    } else {
        return value;
    }
}

/// Adds the members of a record under their names.
template <class Record, class Fields>
void add_members(nlohmann::ordered_json& to, const Record& record, const Fields& fields)
{
    each_field(record, fields, [&](const char* name, const auto& member) { to[name] = value_json(member); });
}

}  // namespace launchbox
