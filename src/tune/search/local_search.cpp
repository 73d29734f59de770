// SPDX-License-Identifier: Apache-2.0
#include "tune/search/local_search.hpp"

#include <algorithm>

#include "tune/search/search_memory.hpp"

namespace launchbox {

namespace {

class local_search : public adaptive_strategy {
public:
    using adaptive_strategy::adaptive_strategy;

private:
    std::size_t choose() override
    {
        while (here_ && !queue_.empty()) {
            const std::size_t candidate = queue_.back();
            queue_.pop_back();
            if (!memory().proposed(candidate)) {
                open_.push_back(candidate);
                return candidate;
            }
        }
        // All neighbours are pending or were no better: propose a new start. It takes over when the pending ones are
        // answered.
        if (open_.empty()) here_.reset();
        const std::size_t start = memory().draw_promising();
        if (!here_) open_.push_back(start);
        return start;
    }

    void learn(const trial& news) override
    {
        std::erase(open_, news.candidate);
        if (news.state == trial_state::measured && (!here_ || news.cost < memory().find(*here_)->cost))
            move_to(news.candidate);
        else if (here_ && queue_.empty() && open_.empty())
            here_.reset();
    }

    // Descends along known neighbours first, which needs no measurement.
    void move_to(std::size_t candidate)
    {
        std::vector<std::size_t> around;
        for (bool moved = true; moved;) {
            moved = false;
            around = memory().space().neighbours(candidate);
            double cost = memory().find(candidate)->cost;
            for (const std::size_t index : around) {
                const trial* known = memory().find(index);
                if (known == nullptr || known->state != trial_state::measured || known->cost >= cost) continue;
                candidate = index, cost = known->cost, moved = true;
            }
        }
        here_ = candidate;
        open_.clear();
        std::erase_if(around, [&](std::size_t index) { return memory().proposed(index); });
        memory().shuffle(around);
        if (memory().failed() > 0)
            std::stable_partition(around.begin(), around.end(), [&](std::size_t index) {
                return memory().risk(memory().space().coordinates(index)) > 0.5;
            });
        queue_ = std::move(around);
    }

    std::optional<std::size_t> here_;
    std::vector<std::size_t> queue_;  // neighbours of `here_` still to try, the next one last
    std::vector<std::size_t> open_;   // proposed: their results decide whether to stay here
};

}  // namespace

std::unique_ptr<search_strategy> make_local_search(const search_space& space, const strategy_options& options)
{
    return std::make_unique<local_search>(space, options);
}

}  // namespace launchbox
