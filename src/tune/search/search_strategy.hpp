// The order in which candidates are tried: a strategy proposes the next one, and is told its result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tune/space/search_space.hpp"

namespace launchbox {

/// Not thread-safe. The same seed, space and answers give the same proposals.
class search_strategy {
public:
    virtual ~search_strategy() = default;

    /// The number of a candidate that was never proposed before; `nullopt` if all were. May be called again before
    /// earlier proposals are answered, since builds and measurements run in parallel.
    virtual std::optional<std::size_t> ask() = 0;

    /// Reports the cost of a proposed candidate, above 0 (time, or any number that should be small); `nullopt`: it
    /// failed.
    virtual void tell(std::size_t candidate, std::optional<double> cost) = 0;
};

struct strategy_options {
    std::uint64_t seed = 1;
    /// Proposed before all others, in this order: a baseline, and candidates that were good elsewhere. Numbers may
    /// repeat.
    std::vector<std::size_t> first = {};
    /// How likely a candidate is worth a try before anything is known, 0 to 1: a prior, never the objective. Empty: all
    /// are alike. Called rarely and for few candidates.
    std::function<double(std::size_t)> prior = {};
};

struct strategy_description {
    std::string_view name, what;
    bool adaptive = false;  ///< what it proposes depends on what it was told: few proposals should be open at once
    std::unique_ptr<search_strategy> (*make)(const search_space& space, const strategy_options& options) = nullptr;
};

/// A strategy that proposes `first` and nothing else; it is not in the list of names.
inline constexpr const char* first_alone = "first alone";

/// "exhaustive", "random", "local", ..., in the order in which help lists them.
const std::vector<strategy_description>& search_strategies();

/// Throws `error` for an unknown name, and lists the known ones. `space` must outlive the strategy.
std::unique_ptr<search_strategy> make_strategy(std::string_view name, const search_space& space,
                                               const strategy_options& options);

}  // namespace launchbox
