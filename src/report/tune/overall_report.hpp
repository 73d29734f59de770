// One ranking over all workloads of a run: the table, its sentence, and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "report/tune/results_report.hpp"
#include "tune/ranking/overall_score.hpp"

namespace launchbox {

/// Heading, table and verdict of a run with several workloads.
void add_overall(const shown_run& shown, std::size_t top, document& page);

/// One element of `overall[]`. `run` is its index in `runs[]`.
nlohmann::ordered_json overall_json(const shown_run& shown, std::size_t run);

/// One sentence: the best candidate on average, by how much, and its worst workload.
std::string overall_verdict(const overall_ranking& overall, const std::vector<ranking>& rankings);

}  // namespace launchbox
