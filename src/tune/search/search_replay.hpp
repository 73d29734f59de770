// A search replayed on a recorded run: how soon a strategy would have found what was the fastest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/search/search_strategy.hpp"
#include "tune/space/search_space.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// What a candidate answers, and what asking costs.
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

/// In the order in which the workloads first occur, without those on which nothing was measured. Where a candidate is
/// recorded twice the later result counts.
std::vector<replay_workload> replay_workloads(const recorded_run& run);

/// The expected best after 0, 1, 2, ... evaluations of candidates drawn by chance and never twice, calculated. Nothing
/// measured yet, and what is slower than the median, counts as the median.
std::vector<double> expected_of_chance(const replay_workload& replay, std::size_t evaluations);

/// After how many evaluations chance is expected to have come 95 % of the way from the median to the optimum. It takes
/// long on a large space: once for all searches.
std::size_t evaluations_of_chance(const replay_workload& replay);

/// What the score covers: the time that `evaluations` take on average. Until chance is there, or, where that takes more
/// than a search may, as many as it may.
struct score_span {
    std::size_t evaluations = 0;
    double seconds = 0;
};
score_span score_span_of(const replay_workload& replay, std::size_t of_chance, std::size_t max_evaluations);

/// One search: each improvement.
struct search_course {
    struct step {
        std::size_t evaluations = 0;
        double seconds = 0, best = 0;
    };
    std::vector<step> steps;

    /// The first step within `part` (0.05 for 5 %) of `optimum`; null: none.
    [[nodiscard]] const step* within(double part, double optimum) const;
};

/// Until the optimum was found, after `max_evaluations`, or when `stop` says so. Evaluations that are quicker than
/// others go on until the time of the score is over: a search that had ended before would count as one that finds no
/// more.
search_course replay_search(const replay_workload& replay, search_strategy& strategy, std::size_t max_evaluations,
                            const score_span& span, const std::function<bool()>& stop = {});

/// How far from the optimum is good enough, in the figures below.
inline constexpr std::array<double, 3> replay_targets{0.10, 0.05, 0.01};

/// Over all searches; `nullopt`: not reached.
struct replay_quantiles {
    std::optional<double> median, p90;
};

struct replay_figures {
    std::array<replay_quantiles, replay_targets.size()> evaluations, seconds;  ///< for each target
    /// 1: the optimum at once; 0: as chance. The mean over equal steps of time, until the span is over, of the part of
    /// chance's distance from the optimum that the search has saved.
    double score = 0;
};
/// Of searches with these `max_evaluations` and this span.
replay_figures figures_of(const replay_workload& replay, const std::vector<search_course>& courses,
                          std::size_t max_evaluations, const score_span& span);

}  // namespace launchbox
