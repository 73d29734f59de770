// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_filter.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "support/error.hpp"
#include "support/text/ascii.hpp"
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
    if (text == parameter_text(value)) return true;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        if (const auto exactly = number_in<std::int64_t>(text)) return *exactly == *integer;
        const auto number = number_in<double>(text);
        return number && *number == static_cast<double>(*integer);
    }
    if (const auto* number = std::get_if<double>(&value)) return number_in<double>(text) == *number;
    return false;
}

// The terms of a text, split at commas and at spaces before another name=value: "type=long long n=5" has two.
std::vector<std::string> terms_of(const std::string& text)
{
    std::vector<std::string> terms;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        std::string piece = text.substr(start, end - start);
        start = end + 1;
        for (std::size_t blank = piece.find(' '); blank != std::string::npos;) {
            const std::size_t next = piece.find_first_not_of(' ', blank);
            const std::size_t word_end = std::min(piece.find(' ', next), piece.size());
            if (next != std::string::npos && piece.substr(next, word_end - next).find('=') != std::string::npos) {
                terms.push_back(piece.substr(0, blank));
                piece.erase(0, next);
                blank = piece.find(' ');
            } else {
                blank = next == std::string::npos ? next : piece.find(' ', next);
            }
        }
        terms.push_back(piece);
    }
    for (std::string& term : terms) {
        term.erase(0, std::min(term.find_first_not_of(' '), term.size()));
        term.erase(term.find_last_not_of(' ') + 1);
    }
    std::erase(terms, "");
    return terms;
}

}  // namespace

bool value_filter::matches(const assignment& values) const
{
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
        const parameter_value* value = values.find(item.first);
        return value != nullptr && std::any_of(item.second.begin(), item.second.end(),
                                               [&](const std::string& text) { return means(text, *value); });
    });
}

value_filter parse_value_filter(const std::vector<std::string>& texts, const std::string& option)
{
    value_filter filter;
    for (const std::string& text : texts) {
        std::vector<std::string>* values = nullptr;  // of the last name in this text
        const std::vector<std::string> terms = terms_of(text);
        if (terms.empty()) throw error(option + " is empty", "write, for example, " + option + " n=1e8");
        for (const std::string& term : terms) {
            const std::size_t sign = term.find('=');
            if (sign == 0 || (sign == std::string::npos && values == nullptr))
                throw error(option + ": '" + escape_for_terminal(term) + "' is not name=value",
                            "write, for example, " + option + " n=1e8, or type=int,double,n=1e8");
            if (sign != std::string::npos) {
                const std::string name = term.substr(0, sign);
                auto known = std::find_if(filter.wanted.begin(), filter.wanted.end(),
                                          [&](const auto& item) { return item.first == name; });
                if (known == filter.wanted.end())
                    known = filter.wanted.insert(known, {name, std::vector<std::string>()});
                values = &known->second;
            }
            values->push_back(sign == std::string::npos ? term : term.substr(sign + 1));
        }
    }
    return filter;
}

bool names_machine(std::string_view name, std::string_view wanted)
{
    const auto same = [](char a, char b) { return to_upper(a) == to_upper(b); };
    return wanted.empty() || std::search(name.begin(), name.end(), wanted.begin(), wanted.end(), same) != name.end();
}

}  // namespace launchbox
