// The Gaussian process against the textbook: the whole linear system solved by elimination.
#include "tune/search/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace launchbox {
namespace {

const process_shape shape{3, {false, true, false}};
const process_scales scales{{0.4, 1.3, 0.9}, {0.3, 0.2, 0.5}, 1.7, 0.02};

double covariance(const std::vector<double>& one, const std::vector<double>& other)
{
    double squared = 0, added = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const double step = shape.kinds[d] ? (one[d] == other[d] ? 0.0 : 1.0) : std::abs(one[d] - other[d]);
        squared += std::pow(step / scales.lengths[d], 2);
        added += scales.additive[d] * (1 - step);
    }
    const double r = std::sqrt(5 * squared);
    return scales.signal * (1 + r + r * r / 3) * std::exp(-r) + added;
}

// matrix × x = right, by Gaussian elimination; the matrix is positive definite.
std::vector<double> solved(std::vector<std::vector<double>> matrix, std::vector<double> right)
{
    const std::size_t n = right.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const double factor = matrix[j][i] / matrix[i][i];
            for (std::size_t k = i; k < n; ++k) matrix[j][k] -= factor * matrix[i][k];
            right[j] -= factor * right[i];
        }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    return right;
}

TEST(gaussian_process, agrees_with_the_whole_linear_system)
{
    std::mt19937_64 random(1);
    const auto place = [&] {
        return std::vector<double>{static_cast<double>(random() % 100) / 99, static_cast<double>(random() % 3),
                                   static_cast<double>(random() % 7) / 6};
    };
    std::vector<std::vector<double>> places, pool;
    std::vector<double> values;
    gaussian_process process(shape, scales);
    for (int i = 0; i < 25; ++i) {
        // Candidates come before, between and after the observations.
        pool.push_back(place());
        process.add_candidate(pool.back().data());
        places.push_back(place());
        process.observe(places.back().data());
        values.push_back(std::sin(6 * places.back()[0]) + places.back()[1]);
    }
    pool.push_back(places[3]);
    process.add_candidate(pool.back().data());
    std::vector<std::vector<double>> matrix(25, std::vector<double>(25));
    for (std::size_t i = 0; i < 25; ++i)
        for (std::size_t j = 0; j < 25; ++j)
            matrix[i][j] = covariance(places[i], places[j]) + (i == j ? scales.noise : 0);
    const std::vector<double> weights = solved(matrix, values), expected = process.expected(values);
    ASSERT_EQ(expected.size(), pool.size());
    for (std::size_t c = 0; c < pool.size(); ++c) {
        std::vector<double> across;
        for (const auto& item : places) across.push_back(covariance(pool[c], item));
        double mean = 0, variance = scales.signal + 1;
        const std::vector<double> half = solved(matrix, across);
        for (std::size_t i = 0; i < 25; ++i) mean += across[i] * weights[i], variance -= across[i] * half[i];
        EXPECT_NEAR(expected[c], mean, 1e-3) << c;
        EXPECT_NEAR(process.deviation(c), std::sqrt(variance), 1e-2) << c;
    }
}

TEST(gaussian_process, finds_the_dimension_that_matters)
{
    std::mt19937_64 random(2);
    std::vector<double> places, values;
    for (int i = 0; i < 60; ++i) {
        const double x = static_cast<double>(random() % 1000) / 999;
        places.insert(places.end(), {x, static_cast<double>(random() % 3), static_cast<double>(random() % 1000) / 999});
        values.push_back(std::sin(9 * x));
    }
    const process_scales found = fit_scales(shape, places, values, {{1, 1, 1}, {1, 1, 1}, 1, 0.1}, 40);
    EXPECT_GT(found.additive[0], found.additive[1] * 3);
    EXPECT_GT(found.additive[0], found.additive[2] * 3);
    EXPECT_LT(found.noise, 0.02);
}

// Two dimensions with independent effects: one row and one column determine all other points.
TEST(gaussian_process, predicts_sums_of_effects_for_new_combinations)
{
    const process_shape grid{2, {true, true}};
    const double one[] = {0.3, -1.1, 0.9, 0.1, -0.7, 0.4}, other[] = {-0.8, 0.2, 1.3, -0.1, 0.5, -0.9};
    std::vector<double> places, values;
    const auto measure = [&](std::size_t x, std::size_t y) {
        places.insert(places.end(), {static_cast<double>(x), static_cast<double>(y)});
        values.push_back(one[x] + other[y]);
    };
    for (std::size_t i = 0; i < 6; ++i) measure(i, 0);
    for (std::size_t i = 1; i < 6; ++i) measure(0, i);
    const auto error_with = [&](const process_scales& given) {
        gaussian_process process(grid, given);
        for (std::size_t i = 0; i < values.size(); ++i) process.observe(&places[2 * i]);
        for (std::size_t i = 0; i < 25; ++i) {
            const std::size_t row = 1 + i / 5, column = 1 + i % 5;
            const double place[] = {static_cast<double>(row), static_cast<double>(column)};
            process.add_candidate(place);
        }
        const std::vector<double> expected = process.expected(values);
        double squares = 0;
        for (std::size_t i = 0; i < 25; ++i) squares += std::pow(expected[i] - one[1 + i / 5] - other[1 + i % 5], 2);
        return std::sqrt(squares / 25);
    };
    const process_scales fitted = fit_scales(grid, places, values, usual_scales(2), 40);
    process_scales together = fitted;
    together.additive = {1e-9, 1e-9};
    together.signal += 1;
    EXPECT_LT(error_with(fitted), 0.85 * error_with(together));
}

}  // namespace
}  // namespace launchbox
