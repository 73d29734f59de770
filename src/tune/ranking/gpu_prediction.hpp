// Rows for a GPU without a record, predicted from records of others; and the loss of such rows, measured by holding
// GPUs out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tune/ranking/portability.hpp"

namespace launchbox {

/// The weight of a record on one architecture for a GPU of another: 1 for the same, a tenth within a major version, and
/// a further tenth for each major version between them. An unknown architecture has the least weight.
double record_weight(const std::optional<compute_capability>& measured,
                     const std::optional<compute_capability>& wanted);

struct predicted_row {
    std::size_t row = 0;       ///< place in `portability::rows`
    double share = 0;          ///< expected: the weighted geometric mean of its shares
    std::size_t measured = 0;  ///< on so many of the GPUs that count
};

/// Candidates with the best expected share first. `weights`: one per GPU; 0: its record does not count. Contains only
/// candidates that `may_run` accepts and that GPUs with at least half of the total weight measured.
std::vector<predicted_row> predict_rows(const portability& records, const std::vector<double>& weights,
                                        const std::function<bool(const assignment&)>& may_run = {});

/// How a row for the held-out GPU is chosen: without a measurement on it or, with `ten_measured`, with ten.
enum class row_source { predicted, inherited, common, ten_measured, baseline };
inline constexpr std::size_t row_sources = 5;
/// "predicted", "inherited", ..., as in reports.
const char* name_of(row_source source);

struct chosen_row {
    std::size_t row = 0;
    std::optional<double> share = {};  ///< of the best on the GPU that was held out; `nullopt`: it failed there
};

/// One GPU whose record was used only to evaluate the rows.
struct held_out_gpu {
    std::size_t gpu = 0;  ///< place in `portability::gpus`
    std::optional<compute_capability> architecture = {};
    std::optional<std::size_t> inherits_from = {};     ///< the GPU whose best it inherits
    std::vector<std::optional<chosen_row>> rows = {};  ///< by `row_source`; `nullopt`: there is none
};

/// The properties of a GPU beside its shares.
struct recorded_gpu {
    std::optional<compute_capability> architecture = {};
    std::set<std::string> recorded = {};  ///< identities of all candidates in its records, those that failed, too
    std::optional<assignment> baseline = {};
};

/// How many candidates are measured for `ten_measured`.
inline constexpr std::size_t measured_candidates = 10;

/// What is held out: one GPU, or all GPUs of its architecture.
enum class left_out { gpu, architecture };

/// Holds out each GPU of the records in turn. Only candidates in its own record can be chosen for it, since others were
/// not measured there. `gpus`: one for each of `records.gpus`.
std::vector<held_out_gpu> hold_each_out(const portability& records, const std::vector<recorded_gpu>& gpus,
                                        left_out what = left_out::gpu);

}  // namespace launchbox
