// The amount of work in a workload, and the rate that follows from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "support/fields.hpp"

namespace launchbox {

/// As far as the spec names them; each above 0. Of a workload, or of a second.
struct work_amounts {
    std::optional<double> elements = {}, bytes = {}, flops = {};

    [[nodiscard]] bool any() const { return elements || bytes || flops; }
    friend bool operator==(const work_amounts&, const work_amounts&) = default;
};

constexpr auto fields_of(const work_amounts&)
{
    return std::tuple(field("elements", &work_amounts::elements), field("bytes", &work_amounts::bytes),
                      field("flops", &work_amounts::flops));
}

/// One kind of work.
struct work_kind {
    const char* name;             ///< "bytes"
    const char* name_per_second;  ///< "bytes_per_second"
    const char* name_per_joule;   ///< "bytes_per_joule"
    const char* unit;             ///< "GB/s": of a rate in front of people
    std::optional<double> work_amounts::*amount;
};
inline constexpr std::array<work_kind, 3> work_kinds{{
    {"elements", "elements_per_second", "elements_per_joule", "elements/s", &work_amounts::elements},
    {"bytes", "bytes_per_second", "bytes_per_joule", "GB/s", &work_amounts::bytes},
    {"flops", "flops_per_second", "flops_per_joule", "GFLOP/s", &work_amounts::flops},
}};

/// The largest plausible amount of work.
inline constexpr double max_work = 1e30;
/// Whether an amount is valid: above 0, not above `max_work`.
bool is_work(double amount);

/// The rate per second if `work` takes this long. A time of 0 means that the clock is too coarse: the rate is unknown.
work_amounts per_second(const work_amounts& work, double nanoseconds);

/// The amount per joule if `work` takes this much energy.
work_amounts per_joule(const work_amounts& work, double joules);

/// A rate without its unit, with four digits in the scale of `largest`: "11.65 G" elements/s, "46.60" GB/s, "1,234"
/// GFLOP/s. Prefixes are decimal. Rates above 0 never appear as 0.
std::string rate_text(const work_kind& kind, double rate, double largest);

/// "11.65 G elements/s, 46.60 GB/s"; empty: nothing is known.
std::string rates_text(const work_amounts& rates);
/// "3.21 G elements/J, 12.8 GB/J".
std::string rates_per_joule_text(const work_amounts& rates);
/// "2.330 G to 11.65 G elements/s": the range of each kind.
std::string rates_text(const work_amounts& least, const work_amounts& largest);

}  // namespace launchbox
