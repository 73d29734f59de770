// SPDX-License-Identifier: Apache-2.0
#include "tune/search/evolution_search.hpp"

#include <algorithm>

#include "tune/search/search_memory.hpp"

namespace launchbox {

namespace {

constexpr std::size_t population_size = 16;

class evolution_search : public adaptive_strategy {
public:
    using adaptive_strategy::adaptive_strategy;

private:
    std::size_t choose() override
    {
        if (memory().trials().size() < population_size || population_.size() < 2) return memory().draw_promising();
        for (int attempt = 0; attempt < 20; ++attempt) {
            // In two statements: the order in which arguments are evaluated differs between compilers.
            const trial& other = winner();
            const auto child = child_of(winner(), other);
            if (child && !memory().proposed(*child) &&
                memory().fraction() >= memory().risk(memory().space().coordinates(*child)))
                return *child;
        }
        return memory().draw_promising();  // the population lost its diversity
    }

    // The better of two.
    const trial& winner()
    {
        const trial& one = member(memory().below(population_.size()));
        const trial& other = member(memory().below(population_.size()));
        return one.cost <= other.cost ? one : other;
    }
    const trial& member(std::size_t i) { return *memory().find(population_[i]); }

    // Takes each parameter from one of the two parents, with an occasional mutation. If the result is not a candidate,
    // goes towards it as far as candidates exist on the way.
    std::optional<std::size_t> child_of(const trial& one, const trial& other)
    {
        const search_space& space = memory().space();
        std::vector<std::uint32_t> wanted = one.coordinates;
        for (std::size_t p = 0; p < wanted.size(); ++p) {
            if (memory().below(2) == 1) wanted[p] = other.coordinates[p];
            const std::size_t values = space.values_of(p).size();
            if (values > 1 && memory().below(wanted.size()) == 0) wanted[p] = mutated(wanted[p], values);
        }
        std::size_t here = one.candidate;
        std::vector<std::size_t> order(wanted.size());
        for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
        memory().shuffle(order);
        assignment point = space.at(here);
        for (int round = 0; round < 2; ++round)
            for (const std::size_t p : order) {
                const parameter_value before = point.values[p].second;
                point.values[p].second = space.values_of(p)[wanted[p]];
                if (const auto found = space.find(point))
                    here = *found;
                else
                    point.values[p].second = before;
            }
        return here;
    }

    std::uint32_t mutated(std::uint32_t value, std::size_t values)
    {
        if (memory().below(2) == 0) {  // the next value up or down
            if (value + 1 == values) return value - 1;
            return value == 0 || memory().below(2) == 0 ? value + 1 : value - 1;
        }
        const auto drawn = static_cast<std::uint32_t>(memory().below(values - 1));
        return drawn < value ? drawn : drawn + 1;
    }

    void learn(const trial& news) override
    {
        if (news.state != trial_state::measured) return;
        population_.push_back(news.candidate);
        if (population_.size() <= population_size) return;
        const auto worst = std::max_element(
            population_.begin(), population_.end(),
            [&](std::size_t one, std::size_t other) { return memory().find(one)->cost < memory().find(other)->cost; });
        population_.erase(worst);
    }

    std::vector<std::size_t> population_;
};

}  // namespace

std::unique_ptr<search_strategy> make_evolution_search(const search_space& space, const strategy_options& options)
{
    return std::make_unique<evolution_search>(space, options);
}

}  // namespace launchbox
