// Replays a search on a recorded run: how soon a strategy would have found the fastest candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tune/search/search_strategy.hpp"
#include "tune/space/search_space.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// A candidate's recorded answer, and the cost of measuring it.
struct replay_answer {
    std::optional<double> cost;  ///< the median of its samples; `nullopt`: it failed
    double seconds = 0;          ///< compile and measure
    bool screened = false;       ///< it was never launched: the answer costs nothing and is no evaluation
};

/// One workload of one run.
struct replay_workload {
    assignment workload;
    search_space space;  ///< of the recorded candidates; without parameters that have one value
    std::vector<replay_answer> answers;
    std::vector<double> costs;  ///< of those that were measured, rising; one or more
    std::size_t evaluable = 0;  ///< measured or failed, not screened
    double mean_seconds = 0;    ///< of an evaluation

    [[nodiscard]] double best() const { return costs.front(); }
    [[nodiscard]] double median() const;
};

/// In the order in which the workloads first occur, without workloads that have no measurement. If a candidate is
/// recorded twice, the later result counts.
std::vector<replay_workload> replay_workloads(const recorded_run& run);

/// The expected best after 0, 1, 2, ... evaluations of random candidates without repetition, calculated. Before the
/// first measurement, and for anything slower than the median, the median counts.
std::vector<double> expected_of_chance(const replay_workload& replay, std::size_t evaluations);

/// The number of evaluations after which random search is expected to have covered 95 % of the way from the median to
/// the optimum. Slow on a large space: calculate it once for all searches.
std::size_t evaluations_of_chance(const replay_workload& replay);

/// The span of the score: the average time of `evaluations`, until random search is there or, if that exceeds a
/// search's limit, the limit.
struct score_span {
    std::size_t evaluations = 0;
    double seconds = 0;
};
score_span score_span_of(const replay_workload& replay, std::size_t of_chance, std::size_t max_evaluations);

/// The improvements of one search.
struct search_course {
    struct step {
        std::size_t evaluations = 0;
        double seconds = 0, best = 0;
    };
    std::vector<step> steps;

    /// The first step within `part` (0.05 for 5 %) of `optimum`; null: none.
    [[nodiscard]] const step* within(double part, double optimum) const;
};

/// Searches until the optimum is found, after `max_evaluations`, or until `stop` returns true. If evaluations are
/// quick, goes on until the time of the score is over: a search that ended earlier would count as finding nothing more.
search_course replay_search(const replay_workload& replay, search_strategy& strategy, std::size_t max_evaluations,
                            const score_span& span, const std::function<bool()>& stop = {});

/// The distances from the optimum that count as good enough in the figures below.
inline constexpr std::array<double, 3> replay_targets{0.10, 0.05, 0.01};

/// Over all searches; `nullopt`: not reached.
struct replay_quantiles {
    std::optional<double> median, p90;
};

struct replay_figures {
    std::array<replay_quantiles, replay_targets.size()> evaluations, seconds;  ///< for each target
    /// 1: the optimum at once; 0: as random search. The mean over equal steps of time within the span of the share of
    /// random search's distance from the optimum that the search has saved.
    double score = 0;
};
/// Of searches with these `max_evaluations` and this span.
replay_figures figures_of(const replay_workload& replay, const std::vector<search_course>& courses,
                          std::size_t max_evaluations, const score_span& span);

}  // namespace launchbox
