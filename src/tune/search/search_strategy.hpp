// In which order candidates are tried: a strategy is asked for the next one, and told what became of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/space/search_space.hpp"

namespace launchbox {

/// Not for two threads at once. The same seed, space and answers give the same proposals.
class search_strategy {
public:
    virtual ~search_strategy() = default;

    /// The number of a candidate that was never proposed before; `nullopt` when all were. May be called again before
    /// the answers to earlier proposals are there: what is being built and measured runs in parallel.
    virtual std::optional<std::size_t> ask() = 0;

    /// What a proposed candidate costs, above 0 (time, or any number of which less is better); `nullopt`: it failed.
    virtual void tell(std::size_t candidate, std::optional<double> cost) = 0;
};

struct strategy_options {
    std::uint64_t seed = 1;
    /// Proposed before all others, in this order: a baseline, and what was good elsewhere. Numbers may repeat.
    std::vector<std::size_t> first = {};
    /// How likely a candidate is to be worth a try before anything is known, 0 to 1: a prior, never the objective.
    /// Empty: all are alike. Called seldom and for few candidates.
    std::function<double(std::size_t)> prior = {};
};

struct strategy_description {
    std::string_view name, what;
    bool adaptive = false;  ///< what it proposes depends on what it was told: few proposals should be open at once
    std::unique_ptr<search_strategy> (*make)(const search_space& space, const strategy_options& options) = nullptr;
};

/// A strategy that proposes `first` and nothing else; it is in no list of names.
inline constexpr const char* first_alone = "first alone";

/// "exhaustive", "random", "local", ..., in the order in which help lists them.
const std::vector<strategy_description>& search_strategies();

/// Throws `error` for a name that none has, with the names that there are. `space` must outlive the strategy.
std::unique_ptr<search_strategy> make_strategy(std::string_view name, const search_space& space,
                                               const strategy_options& options);

}  // namespace launchbox
