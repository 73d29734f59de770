// Compares recorded runs with the first one: differences, performance of the winners elsewhere, changes of rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "report/tune/results_report.hpp"
#include "tune/ranking/run_comparison.hpp"

namespace launchbox {

struct comparison_report {
    results_report found;                ///< its runs: A, B, ...
    std::vector<run_comparison> others;  ///< of the first run with each other one, in order
};

/// "A" for the first run.
std::string letter_of(std::size_t run);

document comparison_document(const comparison_report& report);

/// launchbox.comparison/1.
nlohmann::ordered_json comparison_json(const comparison_report& report);

/// One row per candidate, as in JSON.
table comparison_table(const comparison_report& report);

}  // namespace launchbox
