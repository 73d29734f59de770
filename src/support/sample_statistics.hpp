// The middle of repeated measurements, and how well it is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace launchbox {

/// The median of samples with an interval around it, in the samples' unit.
struct sample_summary {
    std::size_t count = 0;
    double median = 0;
    double low = 0,
           high = 0;  ///< holds the true median with at least 95 %; the extremes where there are too few samples

    /// The half width of the interval over the median.
    [[nodiscard]] double spread() const { return median == 0 ? 0 : (high - low) / 2 / median; }
    friend bool operator==(const sample_summary&, const sample_summary&) = default;
};

/// The interval is that of the order statistics: no distribution is assumed. It needs 6 samples to be narrower than the
/// extremes ever could; with fewer, the extremes hold the median with less than 95 %. No samples: all 0.
sample_summary summarise(std::vector<double> samples);

/// Whether the medians differ beyond noise: the intervals do not meet.
bool differs(const sample_summary& one, const sample_summary& other);

/// How probable it is that the intervals of so many samples each do not meet although both are drawn from the same
/// distribution. Exact for every continuous one: all orders of the samples are equally likely. 1 without samples.
double chance_of_differing(std::size_t one, std::size_t other);

}  // namespace launchbox
