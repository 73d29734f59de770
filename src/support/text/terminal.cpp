// SPDX-License-Identifier: Apache-2.0
#include "support/text/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace launchbox {

namespace {

// Length of the UTF-8 sequence that starts here; 0 if there is none.
std::size_t sequence_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                     ? 1
                               : first >= 0xC2 && first <= 0xDF ? 2
                               : (first & 0xF0) == 0xE0         ? 3
                               : first >= 0xF0 && first <= 0xF4 ? 4
                                                                : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    if (length == 3 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F))) return 0;
    if (length == 4 && ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))) return 0;
    return length;
}

// The number of leading bytes that are printable ASCII: most text is nothing else, and a page can have megabytes.
std::size_t plain_length(std::string_view text)
{
    constexpr std::uint64_t each = 0x0101010101010101;
    std::size_t length = 0;
    for (std::uint64_t word = 0; text.size() - length >= sizeof word; length += sizeof word) {
        std::memcpy(&word, text.data() + length, sizeof word);
        // The highest bit of each byte: set for a byte beyond ASCII, below ' ', or DEL.
        if (((word | (word - each * ' ') | (word + each)) & each * 0x80) != 0) break;
    }
    while (length < text.size() && text[length] >= ' ' && text[length] <= '~') ++length;
    return length;
}

}  // namespace

int display_width(std::string_view text)
{
    int width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t plain = plain_length(text.substr(i));
        width += static_cast<int>(plain);
        i += plain;
        if (i == text.size()) break;
        if (text[i] == '\x1b') {  // one of our own colour sequences: ends with m
            i = std::min(text.find('m', i), text.size() - 1) + 1;
            continue;
        }
        i += std::max<std::size_t>(1, sequence_length(text.substr(i)));
        ++width;
    }
    return width;
}

std::string shortened(std::string_view text, int width)
{
    const int whole = display_width(text);
    if (whole <= width) return std::string(text);
    // Keeps more of the beginning, which has the function's name; the end has the last template arguments.
    const int kept = std::max(0, width - 1), front = kept - kept / 3, behind = whole - kept / 3;
    std::string result;
    int column = 0;
    for (std::size_t i = 0; i < text.size(); ++column) {
        const std::size_t length = std::max<std::size_t>(1, sequence_length(text.substr(i)));
        if (column == front) result += "…";
        if (column < front || column >= behind) result += text.substr(i, length);
        i += length;
    }
    return result;
}

std::string to_ascii(std::string_view text)
{
    static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
        {"−", "-"}, {"→", "->"},    {"×", "x"}, {"≤", "<="}, {"≥", ">="}, {"…", "~"}, {"·", "."},
        {"│", "|"}, {"⌈", "ceil("}, {"⌉", ")"}, {"–", "-"},  {"±", "+-"}, {"◀", "<"}, {"≈", "~"}};
    std::string result;
    while (!text.empty()) {
        const auto* found = std::find_if(std::begin(spellings), std::end(spellings),
                                         [&](const auto& spelling) { return text.starts_with(spelling.first); });
        if (found != std::end(spellings)) {
            result += found->second;
            text.remove_prefix(found->first.size());
            continue;
        }
        const std::size_t length = std::max<std::size_t>(1, sequence_length(text));
        result += static_cast<unsigned char>(text[0]) < 0x80 ? text[0] : '?';
        text.remove_prefix(length);
    }
    return result;
}

namespace {

// Invisible characters, and those that reverse the direction of text, with which one name can look like another.
bool hides_text(std::string_view character)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 2) return byte(0) == 0xD8 && byte(1) == 0x9C;  // U+061C
    if (character.size() != 3) return false;
    const unsigned code = (byte(0) & 0xFU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

}  // namespace

std::string escape_for_terminal(std::string_view text)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string result;
    const auto escaped = [&](unsigned char byte) {
        result += "\\x";
        result += digits[byte >> 4];
        result += digits[byte & 15];
    };
    while (!text.empty()) {
        if (const std::size_t plain = plain_length(text); plain > 0) {
            result += text.substr(0, plain);
            text.remove_prefix(plain);
            continue;
        }
        const std::size_t length = sequence_length(text);
        const auto first = static_cast<unsigned char>(text[0]);
        // C1 control characters (U+0080 to U+009F) can start terminal sequences, too.
        const bool control = (length == 1 && (first < 0x20 || first == 0x7f)) ||
                             (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0) ||
                             hides_text(text.substr(0, length));
        if (length == 0)
            escaped(first);
        else if (control)
            for (std::size_t i = 0; i < length; ++i) escaped(static_cast<unsigned char>(text[i]));
        else
            result += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return result;
}

std::string with_commas(std::int64_t value)
{
    const std::string digits = std::to_string(value);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::size_t left = digits.size() - i;
        if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ',';
        text += digits[i];
    }
    return text;
}

}  // namespace launchbox
