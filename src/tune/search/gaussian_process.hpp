// A Gaussian process: from values at some points to expected values, with their uncertainty, at others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace launchbox {

/// Points as `dimensions` numbers from 0 to 1 each, one point behind the other. In a dimension of `kinds` (categorical)
/// two points are either the same or different.
struct process_shape {
    std::size_t dimensions = 0;
    std::vector<bool> kinds = {};
};

/// Scales of a sum: an additive term for each dimension, and a Matérn 5/2 of all dimensions, with a length for each.
/// Variances are for values with mean 0 and variance 1.
struct process_scales {
    std::vector<double> lengths;
    std::vector<double>
        additive;  ///< variance of what a dimension adds: straight lines, joined; or a step for each kind
    double signal = 1, noise = 0.01;
};

/// The start of the fit, and the prior for dimensions about which the values contain no information.
process_scales usual_scales(std::size_t dimensions);

/// The scales that explain the values best, from `start` on; a prior penalizes extreme ones.
process_scales fit_scales(const process_shape& shape, const std::vector<double>& places,
                          const std::vector<double>& values, const process_scales& start, int steps);

/// The process given observations at points that are added one by one. It also holds a pool of candidates and updates
/// the prediction for each: another observation costs O(pool × observations).
class gaussian_process {
public:
    gaussian_process(process_shape shape, process_scales scales);

    void observe(const double* place);
    void add_candidate(const double* place);
    [[nodiscard]] std::size_t observations() const { return count_; }
    [[nodiscard]] std::size_t candidates() const { return pool_places_.size() / shape_.dimensions; }

    /// The expected value at each candidate if the observations had these values.
    [[nodiscard]] std::vector<double> expected(const std::vector<double>& values) const;
    /// Standard deviation at a candidate, without noise. It does not depend on values.
    [[nodiscard]] double deviation(std::size_t candidate) const;

private:
    [[nodiscard]] double covariance(const double* one, const double* other) const;

    process_shape shape_;
    process_scales scales_;
    std::vector<double> inverse_lengths_;
    double variance_ = 0;  // of a value, without noise
    std::size_t count_ = 0;
    std::vector<double> places_;
    std::vector<std::vector<double>> factor_;  // rows of the lower triangle
    std::vector<double> pool_places_;
    std::vector<std::vector<float>> pool_rows_;  // for each observation, of all candidates: factor_^-1 × covariances
    std::vector<double> pool_variance_;
};

}  // namespace launchbox
