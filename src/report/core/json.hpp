// Values for JSON: names and paths are bytes, JSON is UTF-8; what is not known is null.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "support/text/terminal.hpp"

namespace launchbox {

/// The text as it is when it is printable UTF-8; otherwise with the offending bytes as \xNN.
inline std::string json_text(std::string_view text)
{
    return escape_for_terminal(text);
}

/// The text like `json_text`; null when it is empty.
inline nlohmann::ordered_json text_or_null(const std::string& text)
{
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(json_text(text));
}

/// The value; null when it is not known.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace launchbox
