// launchbox: one line of JSON. Plain C++, no CUDA needed. Internal: include measure.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox::detail {

// With a decimal point in any locale, which printf does not guarantee.
inline std::string json_number(double value, int decimals)
{
    if (!std::isfinite(value) || std::abs(value) >= 1e15) return "null";
    const double scale = std::pow(10.0, decimals);
    const double whole = std::trunc(value);
    long long units = static_cast<long long>(std::abs(whole));
    long long parts = std::llround(std::abs(value - whole) * scale);
    if (parts >= static_cast<long long>(scale)) ++units, parts = 0;
    std::string digits = std::to_string(parts);
    digits.insert(0, static_cast<std::size_t>(decimals) - digits.size(), '0');
    digits.resize(digits.find_last_not_of('0') + 1);
    std::string text = value < 0 && (units > 0 || parts > 0) ? "-" : "";
    text += std::to_string(units);
    if (!digits.empty()) (text += '.') += digits;
    return text;
}

// Bytes that are not ASCII become '?': a reason names kernels, and JSON is UTF-8.
inline std::string json_string(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            (quoted += '\\') += c;
        else if (c == '\n' || c == '\t' || c == '\r')
            quoted += ' ';
        else
            quoted += c >= 0x20 && c < 0x7f ? c : '?';
    }
    return quoted += '"';
}

// Nanoseconds as milliseconds, to a tenth of a nanosecond: the GPU's clock counts in steps of 32 ns, but a sample of
// several launches is divided by their number.
inline std::string json_ms(double nanoseconds)
{
    return json_number(nanoseconds / 1e6, 7);
}

// Only appends: GCC 12 warns about `text + std::string` if it is inlined.
class json_line {
public:
    void add(std::string_view name, std::string_view json)
    {
        (((text_ += text_.empty() ? "{\"" : ",\"") += name) += "\":") += json;
    }
    void add(std::string_view name, bool value) { add(name, std::string_view(value ? "true" : "false")); }
    [[nodiscard]] std::string ended() { return (text_ += "}\n", text_); }

private:
    std::string text_;
};

inline std::string json_list_ms(const std::vector<double>& nanoseconds)
{
    std::string list;
    for (const double time : nanoseconds) (list += list.empty() ? "[" : ",") += json_ms(time);
    return list += list.empty() ? "[]" : "]";
}

}  // namespace launchbox::detail
