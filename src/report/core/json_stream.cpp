// SPDX-License-Identifier: Apache-2.0
#include "report/core/json_stream.hpp"

#include <algorithm>

namespace launchbox {

namespace {

// A line feed in the dump is always layout: inside a string it is written as \n.
std::string indented(const nlohmann::ordered_json& value, int depth)
{
    const std::string text = value.dump(2);
    const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
    std::string result;
    result.reserve(text.size() + text.size() / 4);
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
        result.append(text, start, end - start);
        if (end < text.size()) result += indent;
        start = end;
    }
    return result;
}

}  // namespace

std::string json_element_text(const nlohmann::ordered_json& value)
{
    return indented(value, 2);
}

void json_object_stream::member(std::string_view name, const nlohmann::ordered_json& value)
{
    begin_member(name);
    out_ << indented(value, 1);
}

void json_object_stream::begin_array(std::string_view name)
{
    begin_member(name);
    out_ << '[';
    has_elements_ = false;
}

void json_object_stream::element_text(std::string_view text)
{
    out_ << (has_elements_ ? ",\n    " : "\n    ") << text;
    has_elements_ = true;
}

void json_object_stream::end_array()
{
    out_ << (has_elements_ ? "\n  ]" : "]");
}

void json_object_stream::finish()
{
    out_ << (has_members_ ? "\n}\n" : "{}\n");
}

void json_object_stream::begin_member(std::string_view name)
{
    out_ << (has_members_ ? ",\n  " : "{\n  ") << nlohmann::json(name).dump() << ": ";
    has_members_ = true;
}

}  // namespace launchbox
