// `bench-search`: how soon each strategy would have found the fastest candidate of recorded spaces, or the loss of rows
// that were chosen without a measurement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "report/tune/held_out_report.hpp"
#include "tune/search/search_replay.hpp"

namespace launchbox {

struct benched_strategy {
    std::string name;
    replay_figures figures;
};

/// One workload of one recorded run.
struct benched_workload {
    std::string file, name, device;  ///< device: GPU or processor
    std::int64_t run = 0;
    assignment workload;
    std::size_t candidates = 0, measured = 0, screened = 0;
    double best_ns = 0, median_ns = 0;
    std::size_t of_chance = 0;  ///< evaluations_of_chance
    std::size_t of_score = 0;   ///< evaluations that the score covers
    std::vector<benched_strategy> strategies;
};

struct search_bench {
    std::size_t repeats = 0, max_evaluations = 0;
    std::uint64_t seed = 1;
    std::vector<benched_workload> workloads;
    std::optional<launchbox::left_out> left_out = {};
    std::vector<held_out_space> held_out;  ///< with --leave-one-out; then there are no workloads
    std::vector<std::string> notes;        ///< what was left out of the files
    bool interrupted = false;
};

document search_bench_document(const search_bench& found);

/// launchbox.search/1.
nlohmann::ordered_json search_bench_json(const search_bench& found);

/// One row per problem and strategy, or per held-out GPU and source of a row.
table search_bench_table(const search_bench& found);

}  // namespace launchbox
