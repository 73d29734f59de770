// How fast recorded runs found their results: tables, JSON, CSV.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "report/tune/results_report.hpp"
#include "tune/ranking/convergence.hpp"

namespace launchbox {

document convergence_document(const results_report& found);

/// launchbox.convergence/1.
nlohmann::ordered_json convergence_json(const results_report& found);

/// One row per improvement, as in JSON.
table convergence_table(const results_report& found);

}  // namespace launchbox
