// SPDX-License-Identifier: Apache-2.0
#include "report/charts/axis_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/text/rounded_number.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::vector<double> linear_ticks(double low, double high, int wanted)
{
    const double rough = (high - low) / std::max(1, wanted);
    const double magnitude = std::pow(10, std::floor(std::log10(rough)));
    double step = magnitude * 10;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * magnitude >= rough * 0.999) {
            step = factor * magnitude;
            break;
        }
    std::vector<double> ticks;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9 && ticks.size() < 100; ++k)
        ticks.push_back(k * step);
    return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high)
{
    std::vector<double> ticks;
    const double decades = std::log10(high / low);
    for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)) && ticks.size() < 100;
         ++power)
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (factor > 1 && decades > 3) continue;
            const double value = factor * std::pow(10, power);
            if (value >= low * 0.9999 && value <= high * 1.0001) ticks.push_back(value);
        }
    return ticks;
}

// "1.23e7"
std::string power_text(double value)
{
    const std::string text = fmt::format("{:.2e}", value);
    const std::size_t at = text.find('e');
    std::string digits = text.substr(0, at);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return fmt::format("{}e{}", digits, std::stoi(text.substr(at + 1)));
}

// "1,980.5"
std::string fixed_text(double value, int decimals)
{
    const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
    const std::size_t whole = std::min(text.find('.'), text.size());
    if (whole > 15) return text;
    return (value < 0 ? "-" : "") + with_commas(std::stoll(text.substr(0, whole))) + text.substr(whole);
}

bool all_differ(const std::vector<std::string>& texts)
{
    return std::set(texts.begin(), texts.end()).size() == texts.size();
}

}  // namespace

double axis_scale::place(double value) const
{
    if (!logarithmic) return (value - low) / (high - low);
    return value <= 0 ? 0 : std::log(value / low) / std::log(high / low);
}

std::vector<double> ticks_of(const axis_scale& scale, int wanted)
{
    if (scale.logarithmic) {
        std::vector<double> ticks = logarithmic_ticks(scale.low, scale.high);
        if (ticks.size() >= 2) return ticks;
    }
    return linear_ticks(scale.low, scale.high, wanted);
}

axis_scale scale_of(const std::vector<double>& values, bool logarithmic, bool from_zero)
{
    double low = 0, high = 0;
    bool any = false;
    for (const double value : values) {
        if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
        low = any ? std::min(low, value) : value;
        high = any ? std::max(high, value) : value;
        any = true;
    }
    if (!any) return {logarithmic ? 1.0 : 0.0, logarithmic ? 10.0 : 1.0, logarithmic};
    if (logarithmic) {
        const double room = low == high ? 2 : std::pow(high / low, 0.04);
        return {low / room, high * room, true};
    }
    if (from_zero) low = std::min(low, 0.0);
    const double spread = high - low;
    const double room = spread > 0 ? spread * 0.05 : std::max(std::abs(high) * 0.1, 1e-9);
    return {from_zero && low == 0 ? 0 : low - room, high + room, false};
}

std::string number_text(double value)
{
    if (!std::isfinite(value)) return "–";
    const double size = std::abs(value);
    if (size >= 1e7 || (size > 0 && size < 1e-4)) return power_text(value);
    if (size >= 1000 || value == std::floor(value)) return rounded_with_commas(value);
    double scale = 1;
    while (size * scale < 1000) scale *= 10;
    const double rounded = std::round(value * scale) / scale;
    return std::abs(rounded) >= 1000 ? rounded_with_commas(rounded) : fmt::format("{}", rounded);
}

std::vector<std::string> tick_texts(const std::vector<double>& values)
{
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(number_text(value));
    for (int decimals = 0; !all_differ(texts) && decimals <= 12; ++decimals)
        for (std::size_t i = 0; i < values.size(); ++i) texts[i] = fixed_text(values[i], decimals);
    return texts;
}

}  // namespace launchbox
