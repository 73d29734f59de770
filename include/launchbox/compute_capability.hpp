// launchbox: compute capabilities and architecture names, `9.0` <-> `sm_90`, `sm_90a`, `compute_90`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <optional>
#include <string_view>

namespace launchbox {

/// What an architecture name ends with: `sm_90`, `sm_90a` (code for exactly this chip), `sm_100f` (code for its
/// family).
enum class architecture_variant : char { plain = '\0', accelerated = 'a', family = 'f' };

/// A compute capability, with the variant that an architecture name can carry. The limits of an SM depend only on
/// `major` and `minor`.
struct compute_capability {
    int major = 0;
    int minor = 0;
    architecture_variant variant = architecture_variant::plain;

    /// The number in architecture names and in `__CUDA_ARCH__ / 10`: 90 for 9.0, 121 for 12.1.
    [[nodiscard]] constexpr int number() const { return major * 10 + minor; }

    friend constexpr bool operator==(const compute_capability&, const compute_capability&) = default;
    friend constexpr auto operator<=>(const compute_capability&, const compute_capability&) = default;
};

/// A short text without an allocation: the name of an architecture.
struct architecture_text {
    std::array<char, 16> characters{};
    std::size_t size = 0;

    [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), size}; }
    constexpr operator std::string_view() const { return view(); }

    constexpr void append(std::string_view text)
    {
        for (char c : text)
            if (size < characters.size()) characters[size++] = c;
    }
    constexpr void append(int value)
    {
        if (value >= 10) append(value / 10);
        const char digit = static_cast<char>('0' + value % 10);
        append(std::string_view(&digit, 1));
    }
};

/// `sm_90a` for compute capability 9.0 with variant `a`.
constexpr architecture_text architecture_name(const compute_capability& capability)
{
    architecture_text text;
    text.append("sm_");
    text.append(capability.number());
    if (capability.variant != architecture_variant::plain) {
        const char letter = static_cast<char>(capability.variant);
        text.append(std::string_view(&letter, 1));
    }
    return text;
}

/// `9.0`, as the CUDA Programming Guide writes it.
constexpr architecture_text compute_capability_name(const compute_capability& capability)
{
    architecture_text text;
    text.append(capability.major);
    text.append(".");
    text.append(capability.minor);
    return text;
}

/// Reads `sm_90`, `sm_90a`, `sm_100f`, `compute_90`, `90`, `90a` and `9.0`; `nullopt` for anything else. Does not check
/// whether the chip exists: see `find_sm_limits`.
constexpr std::optional<compute_capability> parse_compute_capability(std::string_view text)
{
    if (text.starts_with("sm_"))
        text.remove_prefix(3);
    else if (text.starts_with("compute_"))
        text.remove_prefix(8);

    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    compute_capability result;
    std::size_t dot = text.find('.');
    if (dot != std::string_view::npos) {  // 9.0: one or two digits, a dot, one digit
        if (dot < 1 || dot > 2 || text.size() != dot + 2 || !is_digit(text[dot + 1])) return std::nullopt;
        for (char c : text.substr(0, dot)) {
            if (!is_digit(c)) return std::nullopt;
            result.major = result.major * 10 + (c - '0');
        }
        result.minor = text[dot + 1] - '0';
        return result.major > 0 ? std::optional(result) : std::nullopt;
    }

    if (text.ends_with('a')) result.variant = architecture_variant::accelerated;
    if (text.ends_with('f')) result.variant = architecture_variant::family;
    if (result.variant != architecture_variant::plain) text.remove_suffix(1);
    if (text.size() < 2 || text.size() > 3 || text.front() == '0') return std::nullopt;
    int number = 0;
    for (char c : text) {
        if (!is_digit(c)) return std::nullopt;
        number = number * 10 + (c - '0');
    }
    result.major = number / 10;
    result.minor = number % 10;
    return result;
}

}  // namespace launchbox
