// SPDX-License-Identifier: Apache-2.0
#include "support/text/toml_guard.hpp"

#include <algorithm>
#include <cstddef>

namespace launchbox {

namespace {

constexpr std::size_t max_dots_in_a_line = 100;

// Whether a name, or text that the library reports properly, follows the bracket that begins a table header.
bool is_header(std::string_view text)
{
    text.remove_prefix(text.starts_with("[[") ? 2 : 1);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const char c = text.empty() ? '\0' : text.front();
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-\"']").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<toml_trouble> trouble_for_the_parser(std::string_view text)
{
    int line = 1, column = 0;            // in characters, as the library counts
    std::size_t dots = 0, brackets = 0;  // open ones
    char quote = 0;                      // of the current string
    bool comment = false;
    char before = '\n';  // the last non-blank character
    char last = '\n';    // the same across lines and comments
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        column += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
        if (c == '\n') {  // also ends an unclosed string, as in the library
            ++line;
            column = 0;
            dots = 0;
            quote = 0;
            comment = false;
        } else if (c == '.' && ++dots > max_dots_in_a_line) {
            return toml_trouble{line, 0, "the line has more than " + std::to_string(max_dots_in_a_line) + " dots",
                                "write a list with one value a line"};
        } else if (comment) {
            continue;  // up to the end of the line
        } else if (quote != 0) {
            if (c == '\\' && quote == '"' && i + 1 < text.size() && text[i + 1] != '\n') {
                ++i;
                ++column;
            } else if (c == quote)
                quote = 0;
        } else if (c == '#') {
            comment = true;
        } else if (c == '"' || c == '\'') {
            if (text.substr(i).starts_with(std::string_view(c == '"' ? "\"\"\"" : "'''")))
                return toml_trouble{line, column, "a multi-line string", "write one line in quotes"};
            // Elsewhere, the library does not begin a string, and we would mistake a quote for one.
            if (std::string_view("\n=[{,").find(before) == std::string_view::npos)
                return toml_trouble{line, column, "a quote in the middle of a word", "put the whole text in quotes"};
            quote = c;
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            return toml_trouble{line, column, "a character that is not ASCII, outside of quotes", "write it in quotes"};
        } else if (c == '[') {
            if (brackets++ == 0 && before != '=' && !is_header(text.substr(i)))
                return toml_trouble{line, column, "a bracket without a table's name", "write [name]"};
        } else if (c == ']' && brackets > 0) {
            --brackets;
        } else if (c == '}' && (last == '[' || last == ',')) {
            return toml_trouble{line, column, "a brace where a value should be", "write a value, or remove the comma"};
        }
        if (c == ' ' || c == '\t' || c == '\r') continue;
        before = c;
        if (c != '\n' && c != '#') last = c;
    }
    return std::nullopt;
}

std::string spelled_in_ascii(std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || c == '~')
            result.append({'~', digits[byte >> 4], digits[byte & 15]});
        else
            result += c;
    }
    return result;
}

std::string from_ascii_spelling(std::string_view text)
{
    const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
        if (text[i] == '~' && high >= 0 && low >= 0) {
            result += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

int column_from_ascii_spelling(std::string_view line, int column)
{
    const std::string before = from_ascii_spelling(line.substr(0, static_cast<std::size_t>(column) - 1));
    return 1 + static_cast<int>(std::count_if(before.begin(), before.end(),
                                              [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace launchbox
