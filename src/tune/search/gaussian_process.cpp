// SPDX-License-Identifier: Apache-2.0
#include "tune/search/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace launchbox {

namespace {

const double root_5 = std::sqrt(5.0);

// From 0 to 1. A dimension contributes `additive` * (1 - step) to the covariance of two points.
double step_between(const process_shape& shape, std::size_t d, double one, double other)
{
    if (shape.kinds[d]) return one == other ? 0 : 1;
    return std::abs(one - other);
}

double matern(double squared)
{
    const double r = root_5 * std::sqrt(squared);
    return (1 + r + r * r / 3) * std::exp(-r);
}

// Four independent sums: with a single one, each addition waits for the one before.
double dot(const double* one, const double* other, std::size_t count)
{
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += one[i + lane] * other[i + lane];
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; i < count; ++i) sum += one[i] * other[i];
    return sum;
}

// In blocks of eight, which -O2 vectorises; it does not without a fixed trip count.
void add_scaled(float* __restrict sums, float factor, const float* __restrict row, std::size_t count)
{
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane) sums[i + lane] += factor * row[i + lane];
    for (; i < count; ++i) sums[i] += factor * row[i];
}

// Cholesky factorisation into the lower triangle; false if the matrix is not positive definite.
bool factorise(std::vector<double>& matrix, std::size_t n)
{
    for (std::size_t j = 0; j < n; ++j) {
        double* row = &matrix[j * n];
        for (std::size_t k = 0; k <= j; ++k) {
            const double* other = &matrix[k * n];
            const double sum = row[k] - dot(row, other, k);
            if (k < j)
                row[k] = sum / other[k];
            else if (sum <= 1e-12)
                return false;
            else
                row[j] = std::sqrt(sum);
        }
    }
    return true;
}

// The inverse of a lower triangular matrix, with column c in row c; the inverse of the factorised matrix follows from
// it.
std::vector<double> inverse_of_factor(const std::vector<double>& factor, std::size_t n)
{
    std::vector<double> inverse(n * n);
    for (std::size_t c = 0; c < n; ++c) {
        double* column = &inverse[c * n];
        column[c] = 1 / factor[c * n + c];
        for (std::size_t i = c + 1; i < n; ++i)
            column[i] = -dot(&factor[i * n + c], column + c, i - c) / factor[i * n + i];
    }
    return inverse;
}

// The logarithm of the posterior (likelihood and prior), with its gradient by the logarithms of lengths, signal, noise
// and additive variances.
class likelihood {
public:
    likelihood(const process_shape& shape, const std::vector<double>& places, const std::vector<double>& values)
        : shape_(shape), values_(values), n_(values.size())
    {
        for (std::size_t d = 0; d < shape.dimensions; ++d) {
            auto& steps = steps_.emplace_back();
            for (std::size_t i = 0; i < n_; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    steps.push_back(
                        step_between(shape, d, places[i * shape.dimensions + d], places[j * shape.dimensions + d]));
        }
    }

    double at(const std::vector<double>& logs, std::vector<double>& gradient) const
    {
        const std::size_t dims = shape_.dimensions;
        const double signal = std::exp(logs[dims]), noise = std::exp(logs[dims + 1]);
        std::vector<double> weights(dims), additive(dims);
        double all_additive = 0;
        for (std::size_t d = 0; d < dims; ++d) {
            weights[d] = std::exp(-2 * logs[d]);
            additive[d] = std::exp(logs[dims + 2 + d]);
            all_additive += additive[d];
        }
        std::vector<double> squared(n_ * (n_ - 1) / 2), added(squared.size(), all_additive), slope(squared.size()),
            pulls(squared.size()), matrix(n_ * n_);
        for (std::size_t d = 0; d < dims; ++d)
            for (std::size_t at = 0; at < squared.size(); ++at) {
                const double step = steps_[d][at];
                squared[at] += weights[d] * step * step;
                added[at] -= additive[d] * step;
            }
        for (std::size_t i = 0, at = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < i; ++j, ++at) {
                const double r = root_5 * std::sqrt(squared[at]), decay = signal * std::exp(-r);
                matrix[i * n_ + j] = decay * (1 + r + r * r / 3) + added[at];
                slope[at] = decay * (1 + r) * 5.0 / 3;
            }
            matrix[i * n_ + i] = signal + all_additive + noise + 1e-8;
        }
        if (!factorise(matrix, n_)) return -std::numeric_limits<double>::infinity();
        const std::vector<double> inverse = inverse_of_factor(matrix, n_);
        double result = 0;
        std::vector<double> half(n_), alpha(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t c = 0; c <= i; ++c) half[i] += inverse[c * n_ + i] * values_[c];
            result -= std::log(matrix[i * n_ + i]) + half[i] * half[i] / 2;
        }
        for (std::size_t c = 0; c < n_; ++c)
            for (std::size_t i = c; i < n_; ++i) alpha[c] += inverse[c * n_ + i] * half[i];

        gradient.assign(2 * dims + 2, 0);
        double trace = 0, all_pulls = 0;
        for (std::size_t i = 0, at = 0; i < n_; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                const double pull = alpha[i] * alpha[j] - dot(&inverse[i * n_ + i], &inverse[j * n_ + i], n_ - i);
                if (i == j) {
                    trace += pull;
                } else {
                    slope[at] *= pull;
                    pulls[at] = pull;
                    all_pulls += pull;
                    ++at;
                }
            }
        }
        double by_additive = 0;
        for (std::size_t d = 0; d < dims; ++d) {
            double sum = 0, apart = 0;
            for (std::size_t at = 0; at < slope.size(); ++at) {
                const double step = steps_[d][at];
                sum += slope[at] * step * step;
                apart += pulls[at] * step;
            }
            gradient[d] = sum * weights[d];
            gradient[dims + 2 + d] = additive[d] * (trace / 2 + all_pulls - apart);
            by_additive += gradient[dims + 2 + d];
        }
        double fit = 0;
        for (const double value : half) fit += value * value;
        // By the logarithm of a common factor of all variances, the likelihood has the derivative (fit - n) / 2.
        gradient[dims + 1] = noise * trace / 2;
        gradient[dims] = (fit - static_cast<double>(n_)) / 2 - gradient[dims + 1] - by_additive;
        add_prior(logs, result, gradient);
        return result;
    }

private:
    void add_prior(const std::vector<double>& logs, double& result, std::vector<double>& gradient) const
    {
        const std::size_t dims = shape_.dimensions;
        const auto pull = [&](std::size_t i, double middle, double width) {
            const double away = (logs[i] - middle) / width;
            result -= away * away / 2;
            gradient[i] -= away / width;
        };
        const process_scales usual = usual_scales(dims);
        for (std::size_t d = 0; d < dims; ++d) {
            pull(d, std::log(usual.lengths[d]), 1.0);
            pull(dims + 2 + d, std::log(usual.additive[d]), 1.0);
        }
        pull(dims, std::log(usual.signal), 1.0);
        pull(dims + 1, std::log(0.003), 1.5);
    }

    const process_shape& shape_;
    const std::vector<double>& values_;
    std::size_t n_;
    std::vector<std::vector<double>> steps_;  // of each pair, by dimension
};

}  // namespace

process_scales usual_scales(std::size_t dimensions)
{
    const auto count = static_cast<double>(dimensions);
    return {.lengths = std::vector<double>(dimensions, 0.5 * std::sqrt(count)),
            .additive = std::vector<double>(dimensions, 0.3 / count)};
}

// Rprop: needs only the signs of the gradient, so no line search.
process_scales fit_scales(const process_shape& shape, const std::vector<double>& places,
                          const std::vector<double>& values, const process_scales& start, int steps)
{
    const likelihood goal(shape, places, values);
    const std::size_t count = 2 * shape.dimensions + 2;
    std::vector<double> logs;
    for (const double length : start.lengths) logs.push_back(std::log(length));
    logs.push_back(std::log(start.signal));
    logs.push_back(std::log(start.noise));
    for (const double variance : start.additive) logs.push_back(std::log(variance));
    std::vector<double> best = logs, gradient, before(count), stride(count, 0.2);
    double max_likelihood = -std::numeric_limits<double>::infinity();
    for (int step = 0; step < steps; ++step) {
        const double here = goal.at(logs, gradient);
        if (!std::isfinite(here)) break;
        if (here > max_likelihood) max_likelihood = here, best = logs;
        for (std::size_t i = 0; i < count; ++i) {
            const double agree = gradient[i] * before[i];
            stride[i] = std::clamp(stride[i] * (agree > 0 ? 1.3 : agree < 0 ? 0.5 : 1.0), 0.01, 0.8);
            if (agree < 0) gradient[i] = 0;
            if (gradient[i] != 0) logs[i] += gradient[i] > 0 ? stride[i] : -stride[i];
            logs[i] = std::clamp(logs[i], std::log(1e-5), std::log(1e3));
            before[i] = gradient[i];
        }
    }
    process_scales result;
    for (std::size_t d = 0; d < shape.dimensions; ++d) {
        result.lengths.push_back(std::exp(best[d]));
        result.additive.push_back(std::exp(best[shape.dimensions + 2 + d]));
    }
    result.signal = std::exp(best[shape.dimensions]);
    result.noise = std::exp(best[shape.dimensions + 1]);
    return result;
}

gaussian_process::gaussian_process(process_shape shape, process_scales scales)
    : shape_(std::move(shape)), scales_(std::move(scales))
{
    for (const double length : scales_.lengths) inverse_lengths_.push_back(1 / length);
    variance_ = std::accumulate(scales_.additive.begin(), scales_.additive.end(), scales_.signal);
}

double gaussian_process::covariance(const double* one, const double* other) const
{
    double squared = 0, added = variance_ - scales_.signal;
    for (std::size_t d = 0; d < shape_.dimensions; ++d) {
        const double step = step_between(shape_, d, one[d], other[d]), scaled = step * inverse_lengths_[d];
        squared += scaled * scaled;
        added -= scales_.additive[d] * step;
    }
    return scales_.signal * matern(squared) + added;
}

void gaussian_process::observe(const double* place)
{
    std::vector<double> row(count_ + 1);
    double rest = variance_ + scales_.noise + 1e-8;
    for (std::size_t k = 0; k < count_; ++k) {
        row[k] = (covariance(place, &places_[k * shape_.dimensions]) - dot(row.data(), factor_[k].data(), k)) /
                 factor_[k][k];
        rest -= row[k] * row[k];
    }
    row[count_] = std::sqrt(std::max(rest, 1e-10));

    const std::size_t pool = candidates();
    std::vector<float> across(pool);
    for (std::size_t c = 0; c < pool; ++c)
        across[c] = static_cast<float>(covariance(place, &pool_places_[c * shape_.dimensions]));
    for (std::size_t k = 0; k < count_; ++k)
        add_scaled(across.data(), -static_cast<float>(row[k]), pool_rows_[k].data(), pool);
    const auto scale = static_cast<float>(1 / row[count_]);
    for (std::size_t c = 0; c < pool; ++c) {
        across[c] *= scale;
        pool_variance_[c] -= static_cast<double>(across[c]) * static_cast<double>(across[c]);
    }
    pool_rows_.push_back(std::move(across));
    places_.insert(places_.end(), place, place + shape_.dimensions);
    factor_.push_back(std::move(row));
    ++count_;
}

void gaussian_process::add_candidate(const double* place)
{
    double variance = variance_;
    std::vector<double> column(count_);
    for (std::size_t k = 0; k < count_; ++k) {
        column[k] = (covariance(place, &places_[k * shape_.dimensions]) - dot(column.data(), factor_[k].data(), k)) /
                    factor_[k][k];
        variance -= column[k] * column[k];
        pool_rows_[k].push_back(static_cast<float>(column[k]));
    }
    pool_variance_.push_back(variance);
    pool_places_.insert(pool_places_.end(), place, place + shape_.dimensions);
}

std::vector<double> gaussian_process::expected(const std::vector<double>& values) const
{
    const std::size_t pool = candidates();
    std::vector<float> sums(pool);
    std::vector<double> weights(count_);
    for (std::size_t k = 0; k < count_; ++k) {
        weights[k] = (values[k] - dot(factor_[k].data(), weights.data(), k)) / factor_[k][k];
        add_scaled(sums.data(), static_cast<float>(weights[k]), pool_rows_[k].data(), pool);
    }
    return {sums.begin(), sums.end()};
}

double gaussian_process::deviation(std::size_t candidate) const
{
    return std::sqrt(std::max(pool_variance_[candidate], 1e-9));
}

}  // namespace launchbox
