// SPDX-License-Identifier: Apache-2.0
#include "support/text/utf8_text.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace launchbox {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", little_endian_mark = "\xFF\xFE", big_endian_mark = "\xFE\xFF";

bool has_mark(std::string_view bytes)
{
    return bytes.starts_with(utf8_mark) || bytes.starts_with(little_endian_mark) || bytes.starts_with(big_endian_mark);
}

void append(std::string& text, std::uint32_t character)
{
    const auto byte = [&](std::uint32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
    if (character < 0x80) return byte(character);
    const unsigned tails = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    constexpr std::uint32_t heads[] = {0, 0xC0, 0xE0, 0xF0};
    byte(heads[tails] | character >> (6 * tails));
    for (unsigned i = tails; i-- > 0;) byte(0x80 | (character >> (6 * i) & 0x3F));
}

enum class text_form : unsigned char { bytes, little_endian, big_endian };

std::uint32_t unit_at(std::string_view bytes, std::size_t i, text_form form)
{
    const auto first = static_cast<unsigned char>(bytes[i]), second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(form == text_form::little_endian ? second << 8 | first : first << 8 | second);
}

bool is_control(std::uint32_t character)
{
    constexpr std::string_view in_text = "\a\b\t\n\v\f\r\x1b";
    return character < 0x20 && (character == 0 || in_text.find(static_cast<char>(character)) == std::string_view::npos);
}

// Text without a mark: units without zeros at the beginning, most of which are ASCII and none of which is zero or
// another control character; every binary has some of these.
bool looks_like_units(std::string_view bytes, text_form form)
{
    constexpr std::size_t enough = 4096;
    std::size_t ascii = 0, units = 0;
    for (std::size_t i = 0; i + 1 < bytes.size() && units < enough; i += 2) {
        const std::uint32_t unit = unit_at(bytes, i, form);
        // Different text may follow, if several programs have appended to one file.
        if (units > 0 && bytes[i] != '\0' && bytes[i + 1] != '\0' && unit_at(bytes, i - 2, form) == '\n') break;
        if (is_control(unit)) return false;
        ++units;
        ascii += unit < 0x80 ? 1 : 0;
    }
    constexpr std::size_t fewest = 8;  // so that a zero after text, as after PTX, does not count
    return units >= fewest && ascii * 4 >= units * 3;
}

// Where UTF-16 without a mark begins in text that may begin with bytes; `bytes` if nowhere.
text_form utf16_without_mark(std::string_view bytes)
{
    const std::size_t zero = bytes.find('\0');
    if (zero == std::string_view::npos) return text_form::bytes;
    constexpr std::size_t looked_at = 4096;
    for (std::size_t i = 0; i < std::min(zero, looked_at); ++i)
        if (is_control(static_cast<unsigned char>(bytes[i]))) return text_form::bytes;
    const bool behind_line = zero > 0 && bytes[zero - 1] == '\n';
    const bool is_big_endian = looks_like_units(bytes.substr(zero), text_form::big_endian);
    if (is_big_endian && (zero == 0 || behind_line)) return text_form::big_endian;
    if (zero > 0 && looks_like_units(bytes.substr(zero - 1), text_form::little_endian)) return text_form::little_endian;
    return is_big_endian ? text_form::big_endian : text_form::bytes;
}

// Whether a line of bytes begins at `i`: it contains no zero, and none follows it.
bool is_line_of_bytes(std::string_view bytes, std::size_t i)
{
    const std::size_t end = std::min(bytes.find('\n', i), bytes.size());
    if (i + 1 >= end || (end + 1 < bytes.size() && bytes[end + 1] == '\0')) return false;
    return bytes.substr(i, end - i).find('\0') == std::string_view::npos;
}

// Decodes text that several programs appended to one file: bytes, and UTF-16 with and without marks.
std::string decoded(std::string_view bytes, text_form unmarked)
{
    constexpr std::uint32_t unknown = 0xFFFD;
    std::string text;
    text.reserve(bytes.size());
    text_form form = text_form::bytes;
    bool line_begins = true;
    for (std::size_t i = 0; i < bytes.size();) {
        const std::string_view rest = bytes.substr(i);
        if (std::exchange(line_begins, false)) {
            const bool little_endian = rest.starts_with(little_endian_mark);
            if (rest.starts_with(utf8_mark)) {
                i += utf8_mark.size();
                form = text_form::bytes;
                continue;
            }
            if (little_endian || rest.starts_with(big_endian_mark)) {
                i += little_endian_mark.size();
                form = little_endian ? text_form::little_endian : text_form::big_endian;
                continue;
            }
            if (form != text_form::bytes && is_line_of_bytes(bytes, i)) form = text_form::bytes;
        }
        if (form == text_form::bytes) {
            const bool units_begin = unmarked != text_form::bytes && rest.size() > 1 &&
                                     rest[unmarked == text_form::little_endian ? 1 : 0] == '\0';
            if (!units_begin) {
                line_begins = rest.front() == '\n';
                text += rest.front();
                ++i;
                continue;
            }
            form = unmarked;
        }
        if (rest.size() < 2) {
            append(text, unknown);
            break;
        }
        const std::uint32_t first = unit_at(bytes, i, form);
        i += 2;
        line_begins = first == '\n';
        if (first < 0xD800 || first > 0xDFFF) {
            append(text, first);
            continue;
        }
        const std::uint32_t second = first < 0xDC00 && i + 1 < bytes.size() ? unit_at(bytes, i, form) : 0;
        const bool is_pair = second >= 0xDC00 && second <= 0xDFFF;
        append(text, is_pair ? 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00) : unknown);
        if (is_pair) i += 2;
    }
    return text;
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string utf8_text(std::string text)
{
    const text_form unmarked = utf16_without_mark(text);
    return unmarked == text_form::bytes && !has_mark(text) ? std::move(text) : decoded(text, unmarked);
}

bool is_not_utf8(std::string_view bytes)
{
    return has_mark(bytes) || utf16_without_mark(bytes) != text_form::bytes;
}

bool has_ending(std::string_view name, std::string_view ending)
{
    return name.size() >= ending.size() &&
           std::ranges::equal(name.substr(name.size() - ending.size()), ending, {}, lower, lower);
}

}  // namespace launchbox
