// Which candidate is the fastest on each workload, by how much, and the outcome of the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "support/sample_statistics.hpp"
#include "tune/ranking/race_contestants.hpp"
#include "tune/ranking/tie_rule.hpp"
#include "tune/types/objective.hpp"
#include "tune/types/recorded_run.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

/// A speed-up over another candidate. The interval covers the uncertainty of both candidates' samples.
struct gain {
    double times = 1, low = 1, high = 1;

    friend bool operator==(const gain&, const gain&) = default;
};
gain gain_of(const sample_summary& slower, const sample_summary& faster);

/// From this difference on, two times are never called equal, even if the samples do not separate them.
constexpr double largest_equality = 0.1;

/// Why there is no winner although something was measured: the samples of the fastest, and of those not separated from
/// it, scatter more than it could win by.
struct sample_noise {
    double least = 0, most = 0;  ///< `spread()` of these candidates: 0.15 for ± 15 %
    double gap = 0;              ///< from the fastest to the next, by their medians: 0.03 for 3 %
};

/// The only place that decides this. `others`: who may win besides the fastest, each code once. `nullopt`: the samples
/// separate the fastest from all others, or are precise enough to call the remaining ones equal.
std::optional<sample_noise> noise_of(const sample_summary& fastest, const std::vector<sample_summary>& others);
/// "samples vary by ± 15 to 60 %".
std::string noise_text(const sample_noise& noise);

struct ranked_candidate {
    std::size_t result = 0;  ///< its number in the results that were ranked
    sample_summary time;     ///< nanoseconds
    std::optional<gain> over_baseline = {};
    bool is_baseline = false;
    bool may_win = false;      ///< its outputs are right as far as anybody's are, and it was measured to the end
    bool equals_best = false;  ///< not beyond noise slower than the fastest that may win; false for that one itself
    double equal_within = 0;   ///< with `equals_best`: the largest difference that the samples of both leave open
    bool raced = false;        ///< took part in the final race
    /// `time`, or for contestants of the final race the race's result, scaled to the level of their samples. Among
    /// contestants the race is more precise; all others are compared by samples.
    sample_summary settled = {};
    std::optional<std::size_t> same_as = {};  ///< place in `candidates` of the one whose samples these are
    /// With an objective other than the time: the value that candidates are compared by instead of `time`, if all parts
    /// of it are known; `settled` holds it, too.
    std::optional<sample_summary> cost = {};
    bool allowed = true;    ///< by the condition of the objective
    bool on_front = false;  ///< of several terms: of those that may win none is better in all of them
};

struct failure_count {
    outcome status = outcome::rejected;
    std::vector<std::size_t> results;  ///< their numbers, in the order in which they were ranked; never empty
};

struct verdict {
    std::size_t winner = 0;  ///< place in `candidates`
    bool raced = false;      ///< a final race decided; else the samples of the results
    bool equal = false;      ///< not separated from the next, or from the baseline
    tie_choice tie = {};     ///< why it was chosen among those that are as fast; `chosen` says nothing
    /// Indices in `candidates` of the fastest and of all that are not measurably slower: in the race, or by their
    /// samples if there was no room for them in it. For each code, the candidate that was measured.
    std::vector<std::size_t> equals = {};
    double equal_within = 0;                 ///< with `equal`: 0.004 for 0.4 %
    std::optional<gain> over_baseline = {};  ///< of the race, where the baseline took part in it
};

/// A final race that does not count, because it used other results than the present ones.
struct outdated_race {
    std::vector<std::size_t> missed;  ///< places in `candidates` of those that may be the best and took no part in it
    /// Contestants whose result has changed since, or who have no result that may win.
    std::vector<assignment> changed;
};

/// One workload.
struct ranking {
    assignment workload;
    double weight = 1;
    work_amounts work = {};
    objective goal = {};
    std::vector<ranked_candidate> candidates = {};  ///< measured; the fastest, or by `goal` the best, first
    std::optional<std::size_t> baseline = {};       ///< place in `candidates`; `nullopt`: none, or it failed
    std::optional<verdict> decided = {};         ///< `nullopt`: nothing may win, or the samples do not tell what does
    std::optional<sample_noise> noise = {};      ///< where they do not tell: nothing is decided
    std::optional<std::size_t> race = {};        ///< place in the races of the one that counts
    std::optional<outdated_race> outdated = {};  ///< where there are races and none of them counts: the last one
    std::vector<failure_count> failures = {};    ///< most frequent first
    std::size_t shared = 0;                      ///< candidates that were not measured since their code is another's
};

/// In the order in which the workloads first occur. A race decides the winner, as long as all who may be the best took
/// part in it with their present results; of several such races, the last. Without a race the winner is the fastest
/// candidate with verified outputs (any candidate if none was verified). Among equals the tie rule chooses.
std::vector<ranking> rank(const std::vector<stored_result>& results, const std::vector<race_result_info>& races,
                          const std::optional<assignment>& baseline);

/// The same by an objective. A candidate that is not allowed, or lacks a quantity, may not win. Races are of times, so
/// they do not count with another objective.
std::vector<ranking> rank(const std::vector<stored_result>& results, const std::vector<race_result_info>& races,
                          const std::optional<assignment>& baseline, const objective& goal);
/// By the objective of the run.
std::vector<ranking> rank(const recorded_run& run);

/// The contestants of a final race if it were held now, by their indices in `candidates`, best first: those that may
/// win, each code once. `results`: those that were ranked.
std::vector<std::size_t> contestants_of(const std::vector<stored_result>& results, const ranking& workload,
                                        const race_rules& rules);

/// Why a race does not count: a sentence without its full stop, which begins with a candidate; empty: it counts, or
/// there is no race.
std::string outdated_race_text(const std::vector<stored_result>& results, const ranking& workload);

}  // namespace launchbox
