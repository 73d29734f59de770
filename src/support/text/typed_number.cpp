// SPDX-License-Identifier: Apache-2.0
#include "support/text/typed_number.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace launchbox {

namespace {

bool is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

std::string_view without_spaces(std::string_view text)
{
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// "49,152" without its comma; `nullopt` if commas do not separate thousands: "1,5" is a fraction to many people.
std::optional<std::string> digits_of(std::string_view text)
{
    const std::size_t first = text.find(',');
    if (first == std::string_view::npos) return std::string(text);
    if (first == 0 || first > 3) return std::nullopt;
    std::string digits(text.substr(0, first));
    for (std::string_view rest = text.substr(first); !rest.empty(); rest.remove_prefix(4)) {
        if (rest.size() < 4 || rest[0] != ',') return std::nullopt;
        digits += rest.substr(1, 3);
    }
    return digits;
}

}  // namespace

std::optional<std::int64_t> read_whole_number(std::string_view text)
{
    text = without_spaces(text);
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::optional<std::string> digits = digits_of(text);
    if (!digits || digits->empty() || digits->find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
    if (failure != std::errc()) return std::nullopt;
    return negative ? -value : value;
}

std::optional<std::int64_t> read_bytes(std::string_view text)
{
    text = without_spaces(text);
    const auto end = std::min(text.find_first_not_of("0123456789,"), text.size());
    std::optional<std::int64_t> value = read_whole_number(text.substr(0, end));
    std::string unit;
    for (const char letter : without_spaces(text.substr(end)))
        unit += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    const std::size_t power = unit.empty() ? 0 : std::string_view(" KMGT").find(unit.front(), 1);
    std::string_view rest = unit;
    if (power != 0 && power != std::string_view::npos) rest.remove_prefix(1);
    const bool is_unit = rest.empty() || rest == "B" || (rest == "IB" && rest.size() < unit.size());
    if (!value || !is_unit) return std::nullopt;
    for (std::size_t i = 0; power != std::string_view::npos && i < power; ++i)
        if (__builtin_mul_overflow(*value, std::int64_t{1024}, &*value)) return std::nullopt;
    return value;
}

std::optional<std::int64_t> read_c_integer(std::string_view digits)
{
    int base = digits.size() > 1 && digits[0] == '0' ? 8 : 10;
    if (base == 8 && (digits[1] == 'x' || digits[1] == 'X')) base = 16;
    if (base == 8 && (digits[1] == 'b' || digits[1] == 'B')) base = 2;
    if (base == 16 || base == 2) digits.remove_prefix(2);
    if (digits.starts_with('-')) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return failure == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

}  // namespace launchbox
