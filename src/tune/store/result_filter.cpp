// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_filter.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

template <class Number>
std::optional<Number> number_in(const std::string& text)
{
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

bool means(const std::string& text, const parameter_value& value)
{
    if (text == text_of(value)) return true;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        if (const auto exactly = number_in<std::int64_t>(text)) return *exactly == *integer;
        const auto number = number_in<double>(text);
        return number && *number == static_cast<double>(*integer);
    }
    if (const auto* number = std::get_if<double>(&value)) return number_in<double>(text) == *number;
    return false;
}

}  // namespace

bool value_filter::matches(const assignment& values) const
{
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
        const parameter_value* value = values.find(item.first);
        return value != nullptr && means(item.second, *value);
    });
}

value_filter parse_value_filter(const std::vector<std::string>& texts, const std::string& option)
{
    value_filter filter;
    for (const std::string& text : texts)
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find_first_of(" ,", start), text.size());
            const std::string part = text.substr(start, end - start);
            start = end + 1;
            if (part.empty()) continue;
            const std::size_t sign = part.find('=');
            if (sign == std::string::npos || sign == 0)
                throw error(option + ": '" + escape_for_terminal(part) + "' is not name=value",
                            "write, for example, " + option + " n=1e8");
            filter.wanted.emplace_back(part.substr(0, sign), part.substr(sign + 1));
        }
    return filter;
}

}  // namespace launchbox
