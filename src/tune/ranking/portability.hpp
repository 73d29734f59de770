// One kernel on several GPUs: each candidate's share of the best on each GPU, and how few rows suffice for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/ranking/landscape.hpp"

namespace launchbox {

/// Up to this number of GPUs the sets of rows are optimal; for more they are found greedily.
constexpr std::size_t max_exact_gpus = 12;

/// One GPU, or processor, with all its records.
struct portable_gpu {
    std::string name;                        ///< the file where the record does not tell
    std::string architecture;                ///< "sm_90"; empty: not known
    std::vector<std::size_t> sources = {};   ///< places in the sources
    std::size_t candidates = 0;              ///< measured on all workloads
    std::size_t best = 0;                    ///< place in `portability::rows` of the fastest that may win
    std::optional<double> baseline_ns = {};  ///< its time with one workload, where it was measured
    std::optional<double> best_ns = {};      ///< with one workload
};

/// A candidate on all GPUs.
struct portable_row {
    assignment parameters = {};
    /// For each GPU, the time of its best over that of this candidate, 0 to 1; with several workloads the weighted
    /// geometric mean. `nullopt`: not measured there on all workloads, or its outputs were not verified.
    std::vector<std::optional<double>> shares = {};

    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] std::size_t worst() const;  ///< the GPU with the least share; the row is complete
    [[nodiscard]] double mean() const;        ///< geometric; the row is complete
};

/// A set of rows, where each GPU uses the row that is best on it.
struct portable_set {
    std::vector<std::size_t> rows = {};    ///< places in `portability::rows`
    std::vector<std::size_t> row_of = {};  ///< for each GPU a place in `rows`
    std::size_t worst = 0;                 ///< the GPU with the largest loss
    double worst_share = 1, mean_share = 1;
};

struct portability {
    std::vector<portable_gpu> gpus;
    std::vector<portable_row> rows;  ///< every candidate that was measured somewhere
    /// Indices in `rows` of those that were measured on every GPU, the one with the best worst share first.
    std::vector<std::size_t> common;
    std::optional<std::size_t> baseline;  ///< place in `rows` of the spec's baseline, where all records have the same
    /// The best worst share with one row, with two, and so on, until more rows gain nothing. The first set has as few
    /// rows as give every GPU one.
    std::vector<portable_set> sets;
    bool is_exact = true;               ///< else `sets` are good, and better ones may exist
    std::vector<std::string> left_out;  ///< GPUs on which nothing may win: a sentence each
};

/// Where a record was measured: the GPU, else the processor, else the record's file.
std::string machine_name(const landscape_source& source);

/// Time over the best's, minus 1: 0.02 is 2 % slower.
double loss_of(double share);

/// The smallest set with which no GPU loses more than `within`; `nullopt`: none.
std::optional<std::size_t> smallest_set(const portability& of, double within);

/// Throws `error` if records are not of one kernel and space, if GPUs have different workloads, or if there is only one
/// GPU.
portability portability_of(const std::vector<landscape_source>& sources);

}  // namespace launchbox
