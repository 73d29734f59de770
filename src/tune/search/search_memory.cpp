// SPDX-License-Identifier: Apache-2.0
#include "tune/search/search_memory.hpp"

#include <algorithm>
#include <cmath>

namespace launchbox {

search_memory::search_memory(const search_space& space, const strategy_options& options)
    : space_(space), options_(options), random_(options.seed), proposed_(space.size())
{
}

const trial* search_memory::find(std::size_t candidate) const
{
    const auto found = places_.find(candidate);
    return found == places_.end() ? nullptr : &trials_[found->second];
}

const trial* search_memory::best() const
{
    return measured_ == 0 ? nullptr : &trials_[best_];
}

void search_memory::propose(std::size_t candidate)
{
    proposed_[candidate] = true;
    places_.emplace(candidate, trials_.size());
    trials_.push_back({candidate, space_.coordinates(candidate)});
}

bool search_memory::tell(std::size_t candidate, std::optional<double> cost)
{
    if (candidate >= space_.size()) return false;
    if (!proposed_[candidate]) propose(candidate);
    const std::size_t place = places_.at(candidate);
    trial& told = trials_[place];
    if (told.state != trial_state::open) return false;
    const bool usable = cost && std::isfinite(*cost) && *cost > 0;
    told.state = usable ? trial_state::measured : trial_state::failed;
    if (!usable) {
        ++failed_;
        return true;
    }
    told.cost = *cost;
    if (measured_++ == 0 || told.cost < trials_[best_].cost) best_ = place;
    return true;
}

std::size_t search_memory::draw()
{
    for (int attempt = 0; attempt < 64; ++attempt)
        if (const std::size_t candidate = below(space_.size()); !proposed_[candidate]) return candidate;
    // Few are left: take the next one from a random place on.
    std::size_t candidate = below(space_.size());
    while (proposed_[candidate]) candidate = candidate + 1 == space_.size() ? 0 : candidate + 1;
    return candidate;
}

std::size_t search_memory::draw_promising()
{
    const int draws = options_.prior ? 8 : failed_ > 0 ? 3 : 1;
    std::size_t chosen = draw();
    if (draws == 1) return chosen;
    const auto promise = [&](std::size_t candidate) {
        return prior(candidate) * (1 - risk(space_.coordinates(candidate)));
    };
    double max_promise = promise(chosen);
    for (int i = 1; i < draws; ++i) {
        const std::size_t candidate = draw();
        const double here = promise(candidate);
        if (here > max_promise) chosen = candidate, max_promise = here;
    }
    return chosen;
}

double search_memory::risk(const std::vector<std::uint32_t>& coordinates) const
{
    if (failed_ == 0) return 0;
    // A trial's weight is divided by four for each parameter that differs. The unknown counts as two distant successes.
    constexpr std::size_t max_trials = 400;
    double failures = 0, all = 2.0 / 64;
    for (std::size_t i = trials_.size() > max_trials ? trials_.size() - max_trials : 0; i < trials_.size(); ++i) {
        const trial& known = trials_[i];
        if (known.state == trial_state::open) continue;
        const double weight = std::ldexp(1.0, -2 * static_cast<int>(distance(coordinates, known.coordinates)));
        all += weight;
        if (known.state == trial_state::failed) failures += weight;
    }
    return failures / all;
}

double search_memory::prior(std::size_t candidate) const
{
    if (!options_.prior) return 1;
    const double given = options_.prior(candidate);
    return std::isfinite(given) ? std::clamp(given, 0.0, 1.0) : 0;
}

std::size_t distance(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other)
{
    std::size_t different = 0;
    for (std::size_t p = 0; p < one.size(); ++p) different += one[p] != other[p] ? 1u : 0u;
    return different;
}

adaptive_strategy::adaptive_strategy(const search_space& space, strategy_options options)
    : options_(std::move(options)), memory_(space, options_)
{
}

std::optional<std::size_t> adaptive_strategy::ask()
{
    if (memory_.left() == 0) return std::nullopt;
    std::optional<std::size_t> chosen;
    while (!chosen && next_first_ < options_.first.size()) {
        const std::size_t candidate = options_.first[next_first_++];
        if (candidate < memory_.space().size() && !memory_.proposed(candidate)) chosen = candidate;
    }
    if (!chosen) chosen = choose();
    memory_.propose(*chosen);
    return chosen;
}

void adaptive_strategy::tell(std::size_t candidate, std::optional<double> cost)
{
    if (memory_.tell(candidate, cost)) learn(*memory_.find(candidate));
}

}  // namespace launchbox
