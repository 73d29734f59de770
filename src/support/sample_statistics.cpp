#include "support/sample_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace launchbox {

namespace {

// The largest k such that the k-th smallest and the k-th largest of `count` samples (from 1) enclose the median with at
// least 95 %: each sample is above or below it like a fair coin. 1 where even the extremes do not.
std::size_t enclosing_rank(std::size_t count)
{
    const double log_all = static_cast<double>(count) * std::log(0.5);
    double outside = 0;  // probability that fewer than k samples lie below the median
    std::size_t rank = 0;
    for (std::size_t below = 0; below < count / 2; ++below) {
        const auto n = static_cast<double>(count), k = static_cast<double>(below);
        outside += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + log_all);
        if (outside > 0.025) break;
        rank = below + 1;
    }
    return std::max<std::size_t>(rank, 1);
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

}  // namespace launchbox
