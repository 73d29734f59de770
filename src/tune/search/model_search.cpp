// SPDX-License-Identifier: Apache-2.0
#include "tune/search/model_search.hpp"

#include <algorithm>

#include "tune/search/cost_model.hpp"
#include "tune/search/search_memory.hpp"

namespace launchbox {

namespace {

// Five and eight need more evaluations on most recorded spaces (docs/bench_search.md).
constexpr std::size_t spread_starts = 4;

class model_search : public adaptive_strategy {
public:
    model_search(const search_space& space, const strategy_options& options, bool mixed)
        : adaptive_strategy(space, options), model_(memory()), mixed_(mixed)
    {
    }

private:
    std::size_t choose() override
    {
        if (memory().trials().size() < spread_starts) return far_from_all();
        if (mixed_) {
            // Near the best, by the model's random choice, where a large step forward is possible, and anywhere.
            const std::size_t turn = memory().below(10);
            std::optional<std::size_t> candidate;
            if (turn < 3)
                candidate = model_.most_promising_neighbour();
            else if (turn < 5)
                candidate = model_.most_promising_elsewhere();
            else if (turn < 7)
                candidate = model_.most_promising(0.1);
            if (candidate) return *candidate;
        }
        if (const auto candidate = model_.most_promising()) return *candidate;
        return memory().draw_promising();
    }

    std::size_t far_from_all()
    {
        std::size_t chosen = memory().draw_promising(), max_distance = 0;
        for (int i = 0; i < 30; ++i) {
            const std::size_t candidate = memory().draw_promising();
            const auto coordinates = memory().space().coordinates(candidate);
            std::size_t nearest = coordinates.size();
            for (const trial& trial : memory().trials())
                nearest = std::min(nearest, distance(coordinates, trial.coordinates));
            if (nearest > max_distance) max_distance = nearest, chosen = candidate;
        }
        return chosen;
    }

    cost_model model_;
    bool mixed_;
};

}  // namespace

std::unique_ptr<search_strategy> make_model_search(const search_space& space, const strategy_options& options)
{
    return std::make_unique<model_search>(space, options, false);
}

std::unique_ptr<search_strategy> make_auto_search(const search_space& space, const strategy_options& options)
{
    return std::make_unique<model_search>(space, options, true);
}

}  // namespace launchbox
