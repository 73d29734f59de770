// SPDX-License-Identifier: Apache-2.0
#include "support/sample_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace launchbox {

namespace {

// The largest k such that the k-th smallest and the k-th largest of `count` samples (from 1) enclose the median with at
// least 95 %: each sample is above or below it like a fair coin. 1 if even the extremes do not.
std::size_t enclosing_rank(std::size_t count)
{
    const double log_all = static_cast<double>(count) * std::log(0.5);
    double outside = 0;  // probability that fewer than k samples are below the median
    std::size_t rank = 0;
    for (std::size_t below = 0; below < count / 2; ++below) {
        const auto n = static_cast<double>(count), k = static_cast<double>(below);
        outside += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + log_all);
        if (outside > 0.025) break;
        rank = below + 1;
    }
    return std::max<std::size_t>(rank, 1);
}

double log_choose(std::size_t from, std::size_t take)
{
    const auto n = static_cast<double>(from), k = static_cast<double>(take);
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// The probability that the interval of `below` samples is entirely below that of `above` other samples: that as many of
// the former as reach their interval's upper end come before the lower end of the latter.
double chance_of_order(std::size_t below, std::size_t above)
{
    const std::size_t upper = below - enclosing_rank(below) + 1, lower = enclosing_rank(above);
    double sum = 0;
    for (std::size_t before = upper; before <= below; ++before)
        sum += std::exp(log_choose(before + lower - 1, before) +
                        log_choose(below - before + above - lower, below - before) - log_choose(below + above, below));
    return sum;
}

}  // namespace

sample_summary summarise(std::vector<double> samples)
{
    if (samples.empty()) return {};
    std::ranges::sort(samples);
    const std::size_t count = samples.size();
    const std::size_t rank = enclosing_rank(count);
    return {.count = count,
            .median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
            .low = samples[rank - 1],
            .high = samples[count - rank]};
}

bool differs(const sample_summary& one, const sample_summary& other)
{
    return one.high < other.low || other.high < one.low;
}

double chance_of_differing(std::size_t one, std::size_t other)
{
    if (one == 0 || other == 0) return 1;
    return std::min(1.0, chance_of_order(one, other) + chance_of_order(other, one));
}

}  // namespace launchbox
