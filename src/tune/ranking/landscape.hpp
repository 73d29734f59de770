// The best candidate for each value of one or two parameters, over several records: a run as a map.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tune/ranking/overall_score.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// From this `spread()` on a time is called noisy.
constexpr double noisy_spread = 0.05;

struct landscape_request {
    /// None: one cell for each combination of `by`. One or two: columns, and rows.
    std::vector<std::string> axes = {};
    /// `nullopt`: kernel, gpu and the names of the workload, as far as they have several values.
    std::optional<std::vector<std::string>> by;
};

/// The properties by which results are grouped: a tuning parameter, a value of the workload, or a fact of the record.
struct landscape_field {
    enum class kind { parameter, workload, record };

    std::string name;
    kind of = kind::parameter;
};

/// One candidate in one comparison: on one workload of one record, or on several together.
struct landscape_candidate {
    assignment parameters;
    std::optional<sample_summary> time = {};  ///< nanoseconds; `nullopt`: several workloads, or another objective
    /// Time, or cost by the objective, relative to the best that may win; on several workloads the weighted geometric
    /// mean.
    sample_summary relative = {};
    work_amounts rates = {};  ///< what is done in a second, where it has one time
    bool may_win = false;     ///< else its outputs were not compared, or it was stopped early
    bool stopped_early = false;
    bool is_winner = false;
    bool equals_best = false;  ///< its interval overlaps that of the fastest that may win, which it is not
    /// Index in its section of the candidate with the same code.
    std::optional<std::size_t> same_as = {};

    [[nodiscard]] double share() const { return relative.median > 0 ? 1 / relative.median : 0; }
    [[nodiscard]] bool noisy() const { return relative.spread() >= noisy_spread; }
};

/// The results of a map that are compared with each other. One section, unless an axis is not a parameter: then one for
/// each value.
struct landscape_section {
    assignment at;                                ///< the values of such axes
    std::vector<stored_result> results;           ///< each candidate once on each workload of each record
    std::vector<ranking> rankings;                ///< of these results, one a workload and record
    std::optional<overall_ranking> overall = {};  ///< where there are several
    std::vector<landscape_candidate> candidates = {};
    std::optional<std::size_t> winner = {}, next = {};  ///< places in `candidates`; `next`: with other code
    std::optional<sample_noise> noise = {};             ///< why nothing wins, where the samples do not tell
    std::size_t incomplete = 0;  ///< candidates that were measured on some of several workloads and not on all
};

struct landscape_cell {
    std::vector<std::size_t> at;  ///< a place in `values` for each axis
    std::size_t section = 0;
    /// Index in its section of the winner, else of the fastest that may win, else of the fastest.
    std::optional<std::size_t> best = {};
    std::size_t candidates = 0, measured = 0;                 ///< measured: on all workloads of the section
    std::map<outcome, std::size_t> failures = {};             ///< results that were not measured
    std::optional<std::pair<outcome, std::string>> why = {};  ///< the most frequent, with an example
};

struct landscape_map {
    assignment by;                                     ///< without those that these results do not have
    std::vector<std::vector<parameter_value>> values;  ///< of each axis: numbers rising, then words
    std::vector<landscape_section> sections;
    std::vector<landscape_cell> cells;  ///< those of which anything is known, row by row
    std::vector<std::size_t> sources;   ///< the records with a result here
    std::size_t unplaced = 0;           ///< results without a value for an axis
    std::size_t replaced = 0;           ///< results that a newer call of the same run has measured again

    /// Whether every cell is one workload of one record, so that it has a time.
    [[nodiscard]] bool has_times() const;
    /// Whether the rate of this kind of work is known in every section.
    [[nodiscard]] bool has_rates(const work_kind& kind) const;
};

/// The one candidate to use everywhere, and what that costs.
struct landscape_everywhere {
    assignment parameters;
    std::vector<double> losses = {};  ///< in each map: 0.03 takes 3 % longer than its best
    double mean = 0;                  ///< geometric
    std::size_t worst = 0;            ///< the map with the largest loss
};

struct landscape {
    std::vector<landscape_field> axes, by;
    std::vector<landscape_map> maps;
    /// Without axes, and with several maps, where a candidate may win in all of them.
    std::optional<landscape_everywhere> everywhere = {};
};

struct landscape_source {
    const recorded_run* run = nullptr;
    std::string file;
};

/// `sources`: the oldest first. Throws `error` for a name that no record has, and lists those that exist; and if `by`
/// would combine results that must not be compared: of different drivers, toolkits, sources or tasks.
landscape landscape_of(const std::vector<landscape_source>& sources, const landscape_request& request);

/// Numbers rising, then words.
bool stands_before(const parameter_value& one, const parameter_value& other);

}  // namespace launchbox
