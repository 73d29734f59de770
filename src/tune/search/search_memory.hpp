// The proposals and answers of an adaptive strategy, and the random draws that all strategies share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

#include "tune/search/search_strategy.hpp"

namespace launchbox {

enum class trial_state { open, measured, failed };

struct trial {
    std::size_t candidate = 0;
    std::vector<std::uint32_t> coordinates;
    trial_state state = trial_state::open;
    double cost = 0;  ///< of a measured one
};

class search_memory {
public:
    search_memory(const search_space& space, const strategy_options& options);

    [[nodiscard]] const search_space& space() const { return space_; }
    [[nodiscard]] const std::vector<trial>& trials() const { return trials_; }  ///< in the order of the proposals
    [[nodiscard]] const trial* find(std::size_t candidate) const;
    [[nodiscard]] bool proposed(std::size_t candidate) const { return proposed_[candidate]; }
    [[nodiscard]] std::size_t left() const { return space_.size() - trials_.size(); }
    [[nodiscard]] const trial* best() const;  ///< measured; null: none
    [[nodiscard]] std::size_t measured() const { return measured_; }
    [[nodiscard]] std::size_t failed() const { return failed_; }

    void propose(std::size_t candidate);
    /// Whether the answer is new: not received before, and a valid number.
    bool tell(std::size_t candidate, std::optional<double> cost);

    /// Uniform from 0 to `count` - 1. The same on every platform.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
    double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    template <class T>
    void shuffle(std::vector<T>& values)
    {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

    /// A random candidate that was not proposed yet; there must be one.
    std::size_t draw();
    /// The same, but of a few draws the one that the prior and the failures so far favour.
    std::size_t draw_promising();
    /// 0 to 1: how likely a candidate fails, judged by failures of similar candidates.
    [[nodiscard]] double risk(const std::vector<std::uint32_t>& coordinates) const;
    [[nodiscard]] double prior(std::size_t candidate) const;

private:
    const search_space& space_;
    const strategy_options& options_;
    std::mt19937_64 random_;
    std::vector<bool> proposed_;
    std::vector<trial> trials_;
    std::unordered_map<std::size_t, std::size_t> places_;  // in trials_
    std::size_t best_ = 0, measured_ = 0, failed_ = 0;
};

/// The number of parameters in which two candidates differ.
std::size_t distance(const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other);

/// The common base of adaptive strategies: `first` before all others, no candidate twice, the end.
class adaptive_strategy : public search_strategy {
public:
    adaptive_strategy(const search_space& space, strategy_options options);
    std::optional<std::size_t> ask() final;
    void tell(std::size_t candidate, std::optional<double> cost) final;

protected:
    /// A candidate that was not proposed yet; there must be one.
    virtual std::size_t choose() = 0;
    virtual void learn(const trial& /*news*/) {}

    search_memory& memory() { return memory_; }

private:
    strategy_options options_;
    search_memory memory_;
    std::size_t next_first_ = 0;
};

}  // namespace launchbox
