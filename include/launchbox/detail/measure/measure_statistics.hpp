// launchbox: what a few samples say about a time. Internal: include measure.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace launchbox::detail {

/// A median, and the interval that holds the true one in at least 95 of 100 series.
struct median_estimate {
    double median = 0, low = 0, high = 0;
};

/// How many of the least, and of the greatest, of `count` sorted samples are outside of the interval. The number of
/// samples below the true median is binomial, whatever the distribution: no more than 2.5 % on either side.
inline std::size_t samples_outside(std::size_t count)
{
    const double all = static_cast<double>(count);
    double logarithm = -all * std::log(2.0), sum = 0;  // of the probability that `outside` samples are below
    for (std::size_t outside = 0; outside < count / 2; ++outside) {
        sum += std::exp(logarithm);
        if (sum > 0.025) return outside;
        logarithm += std::log((all - static_cast<double>(outside)) / static_cast<double>(outside + 1));
    }
    return count / 2;
}

/// Fewer than 6 samples: the interval is all that they span, and less sure. Without samples all is 0.
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
