// SPDX-License-Identifier: Apache-2.0
#include "tune/types/work_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/text/rounded_number.hpp"

namespace launchbox {

namespace {

constexpr double ns_per_second = 1e9;
constexpr int digits = 4;

struct scale {
    double one;
    const char* prefix;
};

// GB/s and GFLOP/s, as in data sheets; element counts use any prefix.
scale scale_of(const work_kind& kind, double largest)
{
    if (kind.amount != &work_amounts::elements) return {1e9, ""};
    for (const scale& step : {scale{1e12, " T"}, scale{1e9, " G"}, scale{1e6, " M"}, scale{1e3, " k"}})
        if (largest >= step.one) return step;
    return {1, ""};
}

}  // namespace

bool is_work(double amount)
{
    return amount > 0 && amount <= max_work;
}

work_amounts per_second(const work_amounts& work, double nanoseconds)
{
    work_amounts rates;
    if (!(nanoseconds > 0)) return rates;
    for (const work_kind& kind : work_kinds)
        if (const std::optional<double>& amount = work.*kind.amount)
            rates.*kind.amount = *amount / nanoseconds * ns_per_second;
    return rates;
}

work_amounts per_joule(const work_amounts& work, double joules)
{
    return per_second(work, joules * ns_per_second);
}

std::string rate_text(const work_kind& kind, double rate, double largest)
{
    constexpr double rounded_up = 1.00005;  // 99.996 is shown as 100.0
    largest = std::max(rate, largest) * rounded_up;
    const scale in = scale_of(kind, largest);
    const double shown = rate / in.one;
    const double before_point = largest > 0 ? std::floor(std::log10(largest / in.one)) + 1 : 1;
    const int decimals = static_cast<int>(std::clamp(digits - before_point, 0.0, 6.0));
    if (rate > 0 && shown < 0.5 * std::pow(10, -decimals)) return fmt::format("{:.2g}{}", shown, in.prefix);
    if (decimals == 0) return rounded_with_commas(shown) + in.prefix;
    return fmt::format("{:.{}f}{}", shown, decimals, in.prefix);
}

std::string rates_text(const work_amounts& rates)
{
    return rates_text(rates, rates);
}

std::string rates_per_joule_text(const work_amounts& rates)
{
    std::string text = rates_text(rates);
    for (std::size_t at = 0; (at = text.find("/s", at)) != std::string::npos;) text.replace(at, 2, "/J");
    return text;
}

std::string rates_text(const work_amounts& least, const work_amounts& largest)
{
    std::string text;
    for (const work_kind& kind : work_kinds) {
        const std::optional<double>&low = least.*kind.amount, &high = largest.*kind.amount;
        if (!low || !high) continue;
        text += text.empty() ? "" : ", ";
        if (*low < *high) text += rate_text(kind, *low, *low) + " to ";
        // Without a prefix the unit follows the number; "11.65 G" already includes it.
        text += rate_text(kind, *high, *high) + " " + kind.unit;
    }
    return text;
}

}  // namespace launchbox
