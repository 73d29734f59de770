// SPDX-License-Identifier: Apache-2.0
#include "tune/search/cost_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace launchbox {

namespace {

constexpr std::size_t pool_of_chance = 2000, max_observations = 256, max_fitted = 128;
constexpr int fitting_steps = 25;

std::optional<double> number_of(const parameter_value& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
    if (const auto* number = std::get_if<double>(&value)) return *number;
    return std::nullopt;
}

// Positions of the values from 0 to 1: the mean of scaled value, by logarithm if the range is wide, and rank. Empty if
// they have no order.
std::vector<double> positions_of(const std::vector<parameter_value>& values)
{
    std::vector<double> numbers;
    for (const parameter_value& value : values) {
        const auto number = number_of(value);
        if (!number || !std::isfinite(*number)) return {};
        numbers.push_back(*number);
    }
    std::vector<double> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    const double step = sorted[0] > 0 ? 0.0 : sorted.size() > 1 ? sorted[1] - sorted[0] : 1.0;
    const bool logs = sorted[0] >= 0 && sorted.back() + step >= 4 * (sorted[0] + step);
    const auto scaled = [&](double value) { return logs ? std::log(value + step) : value; };
    const double low = scaled(sorted.front()), span = scaled(sorted.back()) - low;
    std::vector<double> result;
    for (const double number : numbers) {
        const auto rank = static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin());
        result.push_back(((scaled(number) - low) / span + rank / static_cast<double>(sorted.size() - 1)) / 2);
    }
    return result;
}

// How often 2 divides each value, scaled to 0 to 1: memory and warps come in powers of two, between which costs jump.
// Empty if this adds nothing to the values themselves, or they are not whole numbers.
std::vector<double> evenness_of(const std::vector<parameter_value>& values)
{
    constexpr std::size_t fewest = 5;
    std::vector<double> result;
    bool only_powers = true;
    for (const parameter_value& value : values) {
        const auto* number = std::get_if<std::int64_t>(&value);
        if (number == nullptr || *number < 0) return {};
        const auto bits = static_cast<std::uint64_t>(*number);
        only_powers &= bits == 0 || std::has_single_bit(bits);
        result.push_back(bits == 0 ? 0 : std::countr_zero(bits));
    }
    const auto [low, high] = std::minmax_element(result.begin(), result.end());
    const double from = *low, span = *high - *low;
    if (values.size() < fewest || only_powers || span == 0) return {};
    for (double& value : result) value = (value - from) / span;
    return result;
}

// How slow the slow candidates are says little about the fast ones, so values above the third quartile are compressed.
// Only by half: with more compression, good candidates among slow ones are found less often.
void draw_in_slowest(std::vector<double>& logs)
{
    constexpr std::size_t fewest = 5;
    constexpr double part_left = 0.5;
    if (logs.size() < fewest) return;
    std::vector<double> sorted = logs;
    const auto quartile = sorted.begin() + static_cast<std::ptrdiff_t>(3 * (sorted.size() - 1) / 4);
    std::nth_element(sorted.begin(), quartile, sorted.end());
    for (double& log : logs)
        if (log > *quartile) log = *quartile + part_left * (log - *quartile);
}

double expected_improvement(double expected, double deviation, double best)
{
    const double z = (best - expected) / deviation;
    static const double root = std::sqrt(0.5), peak = 0.3989422804014327;
    return (best - expected) * 0.5 * std::erfc(-z * root) + deviation * peak * std::exp(-z * z / 2);
}

}  // namespace

cost_model::cost_model(search_memory& memory) : memory_(memory), in_pool_(memory.space().size())
{
    const search_space& space = memory.space();
    for (std::size_t p = 0; p < space.parameters(); ++p) {
        positions_.push_back(positions_of(space.values_of(p)));
        if (space.values_of(p).size() < 2) continue;
        used_.push_back(p);
        shape_.kinds.push_back(positions_[p].empty());
        if (positions_[p].empty())
            for (std::size_t v = 0; v < space.values_of(p).size(); ++v) positions_[p].push_back(static_cast<double>(v));
    }
    for (const std::size_t p : used_) {
        std::vector<double> even = evenness_of(space.values_of(p));
        if (even.empty()) continue;
        evenness_.emplace_back(p, std::move(even));
        shape_.kinds.push_back(false);
    }
    shape_.dimensions = shape_.kinds.size();
    scales_ = usual_scales(shape_.dimensions);
}

std::optional<std::size_t> cost_model::most_promising(double margin)
{
    if (!update()) return std::nullopt;
    return best_of_pool([](std::size_t) { return true; }, margin);
}

std::optional<std::size_t> cost_model::most_promising_neighbour()
{
    if (!update()) return std::nullopt;
    std::vector<std::size_t> around = memory_.space().neighbours(memory_.best()->candidate);
    std::erase_if(around, [&](std::size_t candidate) { return memory_.proposed(candidate); });
    if (around.empty()) return std::nullopt;
    for (const std::size_t candidate : around) add_to_pool(candidate);
    return best_of_pool(
        [&](std::size_t candidate) { return std::binary_search(around.begin(), around.end(), candidate); });
}

std::optional<std::size_t> cost_model::most_promising_elsewhere()
{
    if (!update()) return std::nullopt;
    const std::size_t parameter = used_[memory_.below(used_.size())];
    const std::size_t value = memory_.below(memory_.space().values_of(parameter).size());
    return best_of_pool(
        [&](std::size_t candidate) { return memory_.space().coordinates(candidate)[parameter] == value; });
}

// Indices of the measured trials, the best first.
std::vector<std::size_t> cost_model::by_cost() const
{
    const std::vector<trial>& trials = memory_.trials();
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < trials.size(); ++i)
        if (trials[i].state == trial_state::measured) places.push_back(i);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t one, std::size_t other) { return trials[one].cost < trials[other].cost; });
    return places;
}

bool cost_model::update()
{
    if (memory_.measured() < 2 || shape_.dimensions == 0) return false;
    if (!process_ || memory_.trials().size() >= next_renewal_) renew();
    catch_up();
    return true;
}

// Expected improvement times the probability of success, over those of the pool that are wanted and not yet proposed.
std::optional<std::size_t> cost_model::best_of_pool(const std::function<bool(std::size_t)>& wanted, double margin)
{
    const std::vector<double> values = costs(observed_);
    std::vector<double> failures(values.size());
    bool any = false;
    for (std::size_t i = 0; i < observed_.size(); ++i) {
        const trial_state state = memory_.trials()[observed_[i]].state;
        failures[i] = state == trial_state::failed ? 1 : 0;
        any |= state == trial_state::failed;
    }
    const std::vector<double> expected = process_->expected(values);
    const std::vector<double> risk = any ? process_->expected(failures) : std::vector<double>{};
    double best = INFINITY;
    for (std::size_t i = 0; i < observed_.size(); ++i)
        if (memory_.trials()[observed_[i]].state == trial_state::measured) best = std::min(best, values[i]);
    std::optional<std::size_t> chosen;
    double max_promise = -1;
    for (std::size_t c = 0; c < pool_.size(); ++c) {
        if (memory_.proposed(pool_[c]) || !wanted(pool_[c])) continue;
        double promise = expected_improvement(expected[c], process_->deviation(c), best - margin);
        if (any) promise *= std::clamp(1 - risk[c], 0.01, 1.0);
        if (promise > max_promise) max_promise = promise, chosen = pool_[c];
    }
    return chosen;
}

// Fits new scales, and selects other trials and another pool.
void cost_model::renew()
{
    std::vector<std::size_t> keep = trials_to_keep();
    std::vector<std::size_t> fitted = keep;
    std::erase_if(fitted,
                  [&](std::size_t candidate) { return memory_.trials()[candidate].state != trial_state::measured; });
    if (fitted.size() > max_fitted) {
        memory_.shuffle(fitted);
        std::stable_sort(fitted.begin(), fitted.end(), [&](std::size_t one, std::size_t other) {
            return memory_.trials()[one].cost < memory_.trials()[other].cost;
        });
        // Half of them are the best.
        for (std::size_t i = max_fitted / 2; i < max_fitted; ++i)
            std::swap(fitted[i], fitted[i + memory_.below(fitted.size() - i)]);
        fitted.resize(max_fitted);
    }
    if (fitted.size() >= 4) {
        std::vector<double> places;
        for (const std::size_t candidate : fitted) {
            const std::vector<double> place = place_of(memory_.trials()[candidate].coordinates);
            places.insert(places.end(), place.begin(), place.end());
        }
        scales_ = fit_scales(shape_, places, costs(fitted), scales_, fitting_steps);
    }
    process_.emplace(shape_, scales_);
    renew_pool();  // before the observations: in bulk, each costs half
    observed_.clear();
    for (const std::size_t candidate : keep) {
        process_->observe(place_of(memory_.trials()[candidate].coordinates).data());
        observed_.push_back(candidate);
    }
    seen_ = memory_.trials().size();
    next_renewal_ = seen_ + std::clamp<std::size_t>(seen_ / 5, 2, 16);
}

void cost_model::renew_pool()
{
    for (const std::size_t candidate : pool_) in_pool_[candidate] = false;
    pool_.clear();
    const std::size_t size = memory_.space().size();
    if (memory_.left() <= pool_of_chance + pool_of_chance / 2) {
        for (std::size_t candidate = 0; candidate < size; ++candidate)
            if (!memory_.proposed(candidate)) add_to_pool(candidate);
        return;
    }
    for (std::size_t i = 0; i < pool_of_chance; ++i) add_to_pool(memory_.draw());
    const std::vector<std::size_t> best = by_cost();
    for (std::size_t i = 0; i < std::min<std::size_t>(8, best.size()); ++i) add_neighbours(memory_.trials()[best[i]]);
    neighbours_of_ = memory_.best()->candidate;
}

// Adds the trials since the last renewal, including those without a result.
void cost_model::catch_up()
{
    for (; seen_ < memory_.trials().size(); ++seen_) {
        process_->observe(place_of(memory_.trials()[seen_].coordinates).data());
        observed_.push_back(seen_);
    }
    if (memory_.best()->candidate == neighbours_of_ || memory_.left() == 0) return;
    neighbours_of_ = memory_.best()->candidate;
    add_neighbours(*memory_.best());
}

void cost_model::add_to_pool(std::size_t candidate)
{
    if (in_pool_[candidate]) return;
    in_pool_[candidate] = true;
    pool_.push_back(candidate);
    process_->add_candidate(place_of(memory_.space().coordinates(candidate)).data());
}

void cost_model::add_neighbours(const trial& of)
{
    for (const std::size_t candidate : memory_.space().neighbours(of.candidate))
        if (!memory_.proposed(candidate)) add_to_pool(candidate);
}

std::vector<double> cost_model::place_of(const std::vector<std::uint32_t>& coordinates) const
{
    std::vector<double> place;
    for (const std::size_t p : used_) place.push_back(positions_[p][coordinates[p]]);
    for (const auto& [p, even] : evenness_) place.push_back(even[coordinates[p]]);
    return place;
}

// All, or the best half, the latest and some others.
std::vector<std::size_t> cost_model::trials_to_keep() const
{
    const std::vector<trial>& trials = memory_.trials();
    std::vector<std::size_t> keep(trials.size());
    std::iota(keep.begin(), keep.end(), std::size_t{0});
    if (keep.size() <= max_observations) return keep;
    const auto rank = [&](std::size_t i) {
        return trials[i].state == trial_state::open     ? 0
               : trials[i].state == trial_state::failed ? INFINITY
                                                        : trials[i].cost;
    };
    std::stable_sort(keep.begin(), keep.end(),
                     [&](std::size_t one, std::size_t other) { return rank(one) < rank(other); });
    // The others are spread evenly from good to bad.
    std::vector<std::size_t> result(keep.begin(), keep.begin() + max_observations / 2);
    const std::size_t others = keep.size() - max_observations / 2, wanted = max_observations / 2;
    for (std::size_t i = 0; i < wanted; ++i) result.push_back(keep[max_observations / 2 + i * others / wanted]);
    std::sort(result.begin(), result.end());
    return result;
}

// Logarithms with the slowest compressed, mean 0 and variance 1. A trial without a cost gets the mean.
std::vector<double> cost_model::costs(const std::vector<std::size_t>& trials) const
{
    std::vector<double> logs;
    for (const std::size_t candidate : trials)
        if (memory_.trials()[candidate].state == trial_state::measured)
            logs.push_back(std::log(memory_.trials()[candidate].cost));
    if (logs.empty()) return std::vector<double>(trials.size());
    draw_in_slowest(logs);
    double mean = 0, squares = 0;
    for (const double log : logs) mean += log / static_cast<double>(logs.size());
    for (const double log : logs) squares += (log - mean) * (log - mean) / static_cast<double>(logs.size());
    const double deviation = std::max(std::sqrt(squares), 1e-6);
    std::vector<double> result;
    std::size_t next = 0;
    for (const std::size_t candidate : trials) {
        const trial_state state = memory_.trials()[candidate].state;
        result.push_back(state == trial_state::measured ? (logs[next++] - mean) / deviation : 0);
    }
    return result;
}

}  // namespace launchbox
