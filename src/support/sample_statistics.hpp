// The median of repeated measurements, and its uncertainty.
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
           high = 0;  ///< contains the true median with at least 95 %; the extremes if there are too few samples

    /// Half the width of the interval, divided by the median.
    [[nodiscard]] double spread() const { return median == 0 ? 0 : (high - low) / 2 / median; }
    friend bool operator==(const sample_summary&, const sample_summary&) = default;
};

/// The interval is based on order statistics and assumes no distribution. With fewer than 6 samples it is the whole
/// range, which contains the median with less than 95 %. Without samples, all are 0.
sample_summary summarise(std::vector<double> samples);

/// Whether the medians differ beyond noise: the intervals do not overlap.
bool differs(const sample_summary& one, const sample_summary& other);

/// The probability that the intervals of two sets of this many samples do not overlap although both are drawn from the
/// same distribution. Exact for every continuous distribution: all orders of the samples are equally likely. 1 without
/// samples.
double chance_of_differing(std::size_t one, std::size_t other);

}  // namespace launchbox
