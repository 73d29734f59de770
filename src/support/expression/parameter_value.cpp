// SPDX-License-Identifier: Apache-2.0
#include "support/expression/parameter_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace launchbox {

std::string parameter_text(const parameter_value& value)
{
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    if (const std::string* text = std::get_if<std::string>(&value)) return *text;
    std::array<char, 64> text{};
    const std::to_chars_result end =
        std::holds_alternative<std::int64_t>(value)
            ? std::to_chars(text.data(), text.data() + text.size(), std::get<std::int64_t>(value))
            : std::to_chars(text.data(), text.data() + text.size(), std::get<double>(value));
    return {text.data(), end.ptr};
}

const parameter_value* assignment::find(const std::string& name) const
{
    for (const auto& [item, value] : values)
        if (item == name) return &value;
    return nullptr;
}

std::string parameter_text(const assignment& values)
{
    std::string text;
    for (const auto& [name, value] : values.values)
        text += (text.empty() ? "" : " ") + name + "=" + parameter_text(value);
    return text;
}

std::string identity_of(assignment values)
{
    std::ranges::sort(values.values, {}, [](const auto& value) -> const std::string& { return value.first; });
    std::string identity;
    for (const auto& [name, value] : values.values)
        for (const std::string& part : {name, parameter_text(value)})
            identity += std::to_string(part.size()) + ':' + part;
    return identity;
}

assignment joined(assignment one, const assignment& other)
{
    one.values.insert(one.values.end(), other.values.begin(), other.values.end());
    return one;
}

}  // namespace launchbox
