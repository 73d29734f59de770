// SPDX-License-Identifier: Apache-2.0
#include "app/sizes.hpp"

#include <charconv>
#include <string_view>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// As far as the model counts; far above what any GPU has, so that the answer comes from the model.
constexpr std::int64_t largest_bytes = std::int64_t{1} << 30;

}  // namespace

void check_bytes(std::int64_t bytes, const std::string& option)
{
    if (bytes < 0) throw error(option + " is negative: " + std::to_string(bytes) + " B", "sizes start at 0");
    if (bytes > largest_bytes)
        throw error(option + " is above 1 GiB: " + std::to_string(bytes) + " B", "no GPU has that much shared memory");
}

std::int64_t parse_bytes(const std::string& text, const std::string& option)
{
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    std::int64_t factor = unit.empty() || unit == "B"                                   ? 1
                          : unit == "K" || unit == "KB" || unit == "KiB" || unit == "k" ? 1024
                          : unit == "M" || unit == "MB" || unit == "MiB"                ? 1024 * 1024
                                                                                        : 0;
    std::int64_t bytes = 0;
    if (failure != std::errc() || factor == 0 || value < 0 || __builtin_mul_overflow(value, factor, &bytes))
        throw error(option + ": '" + escape_for_terminal(text) + "' is not a size",
                    "write a number of bytes from 0, such as 11264 or 48K");
    check_bytes(bytes, option);
    return bytes;
}

std::int64_t parse_size(const std::string& text, const std::string& option)
{
    constexpr std::string_view units = "KMGT";
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    int steps = 0;
    if (!unit.empty() && units.find(unit.front()) != std::string_view::npos) {
        steps = static_cast<int>(units.find(unit.front())) + 1;
        unit.remove_prefix(1);
    }
    bool fits = failure == std::errc() && value >= 0 && (unit.empty() || unit == "B" || (steps > 0 && unit == "iB"));
    for (int i = 0; i < steps && fits; ++i) fits = !__builtin_mul_overflow(value, std::int64_t{1024}, &value);
    if (!fits)
        throw error(option + ": '" + escape_for_terminal(text) + "' is not a size",
                    "write a number of bytes, such as 64M or 1500000");
    return value;
}

}  // namespace launchbox
