// SPDX-License-Identifier: Apache-2.0
#include "tune/search/search_strategy.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_set>

#include "support/error.hpp"
#include "tune/search/evolution_search.hpp"
#include "tune/search/local_search.hpp"
#include "tune/search/model_search.hpp"

namespace launchbox {

namespace {

// An order fixed before anything is measured.
class fixed_order : public search_strategy {
public:
    // Only these candidates of a space.
    fixed_order(std::size_t candidates, const std::vector<std::size_t>& some)
    {
        for (const std::size_t candidate : some)
            if (candidate < candidates && std::ranges::find(order_, candidate) == order_.end())
                order_.push_back(candidate);
    }
    fixed_order(std::vector<std::size_t> order, const std::vector<std::size_t>& first) : order_(std::move(order))
    {
        std::vector<std::size_t> front;
        std::unordered_set<std::size_t> seen;
        for (const std::size_t candidate : first)
            if (candidate < order_.size() && seen.insert(candidate).second) front.push_back(candidate);
        std::erase_if(order_, [&](std::size_t candidate) { return seen.contains(candidate); });
        order_.insert(order_.begin(), front.begin(), front.end());
    }

    std::optional<std::size_t> ask() override
    {
        return next_ == order_.size() ? std::nullopt : std::optional(order_[next_++]);
    }
    void tell(std::size_t, std::optional<double>) override {}

private:
    std::vector<std::size_t> order_;
    std::size_t next_ = 0;
};

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed)
{
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(seed);
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    return order;
}

std::unique_ptr<search_strategy> make_exhaustive_search(const search_space& space, const strategy_options& options)
{
    std::vector<std::size_t> order(space.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return std::make_unique<fixed_order>(std::move(order), options.first);
}

std::unique_ptr<search_strategy> make_random_search(const search_space& space, const strategy_options& options)
{
    return std::make_unique<fixed_order>(shuffled(space.size(), options.seed), options.first);
}

}  // namespace

const std::vector<strategy_description>& search_strategies()
{
    static const std::vector<strategy_description> all{
        {"exhaustive", "every candidate, in the order of the spec", false, make_exhaustive_search},
        {"random", "every candidate, in random order", false, make_random_search},
        {"auto", "model and local search in turns: the best of these on recorded spaces", true, make_auto_search},
        {"local", "from random starts to better neighbours, until there are none", true, make_local_search},
        {"evolution", "combinations of good candidates, with random changes", true, make_evolution_search},
        {"model", "the largest expected improvement of a Gaussian process over the results so far", true,
         make_model_search},
    };
    return all;
}

std::unique_ptr<search_strategy> make_strategy(std::string_view name, const search_space& space,
                                               const strategy_options& options)
{
    if (name == first_alone) return std::make_unique<fixed_order>(space.size(), options.first);
    std::string names;
    for (const strategy_description& description : search_strategies()) {
        if (description.name == name) return description.make(space, options);
        names += (names.empty() ? "" : ", ") + std::string(description.name);
    }
    throw error("unknown search strategy '" + std::string(name) + "'", "there are: " + names);
}

}  // namespace launchbox
