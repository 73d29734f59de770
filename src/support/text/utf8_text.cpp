// SPDX-License-Identifier: Apache-2.0
#include "support/text/utf8_text.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace launchbox {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", little_endian_mark = "\xFF\xFE", big_endian_mark = "\xFE\xFF";

void append(std::string& text, std::uint32_t character)
{
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
    if (character < 0x80) return byte(character);
    const unsigned tails = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    constexpr std::uint32_t heads[] = {0, 0xC0, 0xE0, 0xF0};
    byte(heads[tails] | character >> (6 * tails));
    for (unsigned i = tails; i-- > 0;) byte(0x80 | (character >> (6 * i) & 0x3F));
}

std::string from_utf16(std::string_view bytes, bool little_endian)
{
    constexpr std::uint32_t unknown = 0xFFFD;
    const auto unit = [&](std::size_t i) {
        const auto first = static_cast<unsigned char>(bytes[i]), second = static_cast<unsigned char>(bytes[i + 1]);
        return static_cast<std::uint32_t>(little_endian ? second << 8 | first : first << 8 | second);
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    std::size_t i = 0;
    for (; i + 1 < bytes.size(); i += 2) {
        const std::uint32_t first = unit(i);
        if (first < 0xD800 || first > 0xDFFF) {
            append(text, first);
            continue;
        }
        const std::uint32_t second = first < 0xDC00 && i + 3 < bytes.size() ? unit(i + 2) : 0;
        const bool is_pair = second >= 0xDC00 && second <= 0xDFFF;
        append(text, is_pair ? 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00) : unknown);
        if (is_pair) i += 2;
    }
    if (i < bytes.size()) append(text, unknown);
    return text;
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string utf8_text(std::string text)
{
    if (text.starts_with(utf8_mark)) text.erase(0, utf8_mark.size());
    if (is_utf16_text(text)) return from_utf16(std::string_view(text).substr(2), text.starts_with(little_endian_mark));
    return text;
}

bool has_text_mark(std::string_view bytes)
{
    return bytes.starts_with(utf8_mark) || is_utf16_text(bytes);
}

bool is_utf16_text(std::string_view bytes)
{
    return bytes.starts_with(little_endian_mark) || bytes.starts_with(big_endian_mark);
}

bool has_ending(std::string_view name, std::string_view ending)
{
    return name.size() >= ending.size() &&
           std::ranges::equal(name.substr(name.size() - ending.size()), ending, {}, lower, lower);
}

}  // namespace launchbox
