// How fast recorded runs found what they found: tables, a chart, JSON, CSV.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "report/tune/results_report.hpp"
#include "tune/ranking/convergence.hpp"

namespace launchbox {

document convergence_document(const results_report& found, const output_style& style);

/// launchbox.convergence/1.
nlohmann::ordered_json convergence_json(const results_report& found);

/// One row an improvement, as they are in JSON.
table convergence_table(const results_report& found);

/// How far the best so far was from the final best, over the evaluations (on a logarithmic scale where they do not fit
/// side by side). Lines end with '\n'; empty where there is nothing to see.
std::string convergence_chart(const convergence& found, const output_style& style);

}  // namespace launchbox
