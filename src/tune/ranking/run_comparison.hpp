// Compares two recorded runs: which times changed beyond noise. The first is A, the second B.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/ranking/ranking.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// A smaller change is not reported, however certain it is.
constexpr double min_move = 0.01;
/// If chance alone separates the samples of equal things more often than this, there are too few samples.
constexpr double max_chance = 0.05;

enum class move_kind {
    equal,
    faster,  ///< in B
    slower,
    unclear,  ///< more than `min_move` apart, and too few samples to tell whether that is noise
};
std::string_view name_of(move_kind moved);

/// How a time changed from A to B.
struct time_move {
    move_kind moved = move_kind::equal;
    gain ratio;         ///< time in B over time in A: above 1 is slower
    double chance = 0;  ///< how often equal things with so many samples seem to differ
};
/// Beyond noise: the ratio's interval excludes 1, and the ratio is more than `min_move` away from it.
time_move move_between(const sample_summary& a, const sample_summary& b);

/// A candidate that both runs have.
struct compared_candidate {
    std::size_t a = 0, b = 0;                      ///< its results in the runs
    std::optional<time_move> time = {};            ///< `nullopt`: not measured in both
    bool shared = false;                           ///< in both runs the samples are those of another with the same code
    std::optional<int> registers = {};             ///< more in B, where both are known
    std::optional<std::int64_t> spill_bytes = {};  ///< stores and loads: more in B, where both are known
};

/// The winner of one run, and its place in the other.
struct compared_winner {
    assignment parameters;
    std::optional<double> a_ns = {}, b_ns = {};  ///< medians, where it was measured
    /// In the other run its time over that of the fastest there; `nullopt`: not measured there.
    std::optional<gain> over_best = {};
    std::optional<outcome> elsewhere = {};  ///< what became of it in the other run; `nullopt`: it was not tried
};

struct compared_workload {
    assignment workload;
    work_amounts work_a = {}, work_b = {};  ///< the workload, as each run's spec names it
    std::optional<compared_winner> winner_a, winner_b;
    std::optional<sample_noise> noise_a = {}, noise_b = {};  ///< why there is no winner, where that is noise
    std::optional<time_move> best = {};                      ///< from A's winner to B's
    std::vector<compared_candidate> candidates = {};         ///< the largest moves first
    std::size_t only_a = 0, only_b = 0;                      ///< candidates
    std::size_t faster = 0, slower = 0, equal = 0, unclear = 0;
    std::size_t shared = 0;                   ///< measured in both, and not among those four: see compared_candidate
    double expected_by_chance = 0;            ///< so many of them, at most, would seem to have moved if nothing had
    std::optional<double> median_ratio = {};  ///< of those four
};

struct run_difference {
    std::string what, a, b;  ///< empty: not known, or there is none
};

struct run_comparison {
    std::vector<run_difference> differences;  ///< of environment, task and source
    bool same_task = true;                    ///< name and task, as far as they are known
    bool same_machine = true;                 ///< GPU or processor. Else the largest moves are those against the median
    std::vector<compared_workload> workloads;
    std::vector<assignment> only_a, only_b;  ///< workloads
};

/// `a_rankings` and `b_rankings` were made from the runs' results. The order of values does not matter.
run_comparison compare_runs(const recorded_run& a, const std::vector<ranking>& a_rankings, const recorded_run& b,
                            const std::vector<ranking>& b_rankings);

}  // namespace launchbox
