// Predicts from the candidates tried so far the cost of the others, and whether they fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tune/search/gaussian_process.hpp"
#include "tune/search/search_memory.hpp"

namespace launchbox {

/// A Gaussian process over the log of the cost; another over failures uses its scales. It considers a pool of
/// candidates: all if there are few, else a random sample and the neighbours of the best.
class cost_model {
public:
    explicit cost_model(search_memory& memory);

    /// The candidate of the pool with the largest expected improvement, weighted with its chance of not failing.
    /// `nullopt`: too few measurements for a model, or the pool is used up. `margin`: an improvement smaller than this
    /// does not count, in standard deviations of the logs of all costs. With it the search explores more, and does not
    /// polish the best.
    std::optional<std::size_t> most_promising(double margin = 0);
    /// The same among the candidates with one random value of a random parameter.
    std::optional<std::size_t> most_promising_elsewhere();
    /// The same among the neighbours of the best. Also `nullopt` if all of them were proposed.
    std::optional<std::size_t> most_promising_neighbour();

private:
    bool update();
    std::optional<std::size_t> best_of_pool(const std::function<bool(std::size_t)>& wanted, double margin = 0);
    [[nodiscard]] std::vector<std::size_t> by_cost() const;
    void renew();
    void renew_pool();
    void catch_up();
    void add_to_pool(std::size_t candidate);
    void add_neighbours(const trial& of);
    [[nodiscard]] std::vector<double> place_of(const std::vector<std::uint32_t>& coordinates) const;
    [[nodiscard]] std::vector<std::size_t> trials_to_keep() const;
    [[nodiscard]] std::vector<double> costs(const std::vector<std::size_t>& trials) const;

    search_memory& memory_;
    process_shape shape_;
    std::vector<std::vector<double>> positions_;                         // of each parameter's values, 0 to 1
    std::vector<std::size_t> used_;                                      // parameters with more than one value
    std::vector<std::pair<std::size_t, std::vector<double>>> evenness_;  // of the values of some parameters
    process_scales scales_;
    std::optional<gaussian_process> process_;
    std::vector<std::size_t> observed_;  // places in memory_.trials()
    std::size_t seen_ = 0;               // trials that the process was offered
    std::size_t next_renewal_ = 0;
    std::vector<std::size_t> pool_;
    std::vector<bool> in_pool_;
    std::size_t neighbours_of_ = static_cast<std::size_t>(-1);
};

}  // namespace launchbox
