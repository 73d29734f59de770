// A Gaussian process: from the values at some points to what is expected, and how surely, at others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace launchbox {

/// Places from 0 to 1 in `dimensions` numbers each, one behind the other. In a dimension of `kinds` (categorical) two
/// places are either the same or different.
struct process_shape {
    std::size_t dimensions = 0;
    std::vector<bool> kinds = {};
};

/// Of a sum: what each dimension adds on its own, and a Matérn 5/2 of all dimensions, with a length for each. Variances
/// relative to values with mean 0 and variance 1.
struct process_scales {
    std::vector<double> lengths;
    std::vector<double>
        additive;  ///< variance of what a dimension adds: straight lines, joined; or a step for each kind
    double signal = 1, noise = 0.01;
};

/// Where the fit begins, and what it returns to for dimensions that the values say nothing about.
process_scales usual_scales(std::size_t dimensions);

/// The scales that explain the values best, from `start` on; far-fetched ones are held back by a prior.
process_scales fit_scales(const process_shape& shape, const std::vector<double>& places,
                          const std::vector<double>& values, const process_scales& start, int steps);

/// The process given observations at places that are added one by one. It also carries a pool of candidates, and keeps
/// for each what the observations say about it: another observation costs O(pool × observations).
class gaussian_process {
public:
    gaussian_process(process_shape shape, process_scales scales);

    void observe(const double* place);
    void add_candidate(const double* place);
    [[nodiscard]] std::size_t observations() const { return count_; }
    [[nodiscard]] std::size_t candidates() const { return pool_places_.size() / shape_.dimensions; }

    /// What is expected at each candidate if the observations had these values.
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
