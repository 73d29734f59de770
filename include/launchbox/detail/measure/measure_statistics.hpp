// launchbox: the median of a few samples, and how certain it is. Internal: include measure.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace launchbox::detail {

/// A median, and an interval that contains the true one in at least 95 of 100 series.
struct median_estimate {
    double median = 0, low = 0, high = 0;
};

/// How many of `count` sorted samples lie outside of the interval, at each end. For any distribution the number of
/// samples below the true median is binomial; each end has a probability of at most 2.5 %.
inline std::size_t samples_outside(std::size_t count)
{
    const double all = static_cast<double>(count);
    double logarithm = -all * std::log(2.0), sum = 0;  // of the probability that `outside` samples are below the median
    for (std::size_t outside = 0; outside < count / 2; ++outside) {
        sum += std::exp(logarithm);
        if (sum > 0.025) return outside;
        logarithm += std::log((all - static_cast<double>(outside)) / static_cast<double>(outside + 1));
    }
    return count / 2;
}

/// With fewer than 6 samples the interval spans all of them, and is less certain. Without samples everything is 0.
inline median_estimate estimate_median(std::vector<double> samples)
{
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t count = samples.size(), upper = count / 2, lower = (count - 1) / 2;
    const std::size_t outside = samples_outside(count);
    const std::size_t first = outside == 0 ? 0 : outside - 1;
    return {.median = (samples[lower] + samples[upper]) / 2, .low = samples[first], .high = samples[count - 1 - first]};
}

}  // namespace launchbox::detail
