// Recorded results: ranking, verdict and failures of each run and workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "tune/ranking/ranking.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

struct shown_run {
    std::string file;
    recorded_run run;
    std::vector<ranking> rankings;  ///< of the run's results
};

/// The row that a GPU uses from the header written by launchbox emit.
struct used_row {
    std::string gpu;  ///< empty: any GPU of the architecture
    compute_capability architecture;
    std::optional<assignment> parameters = {};  ///< nullopt: code for the architecture does not compile
    std::string origin = {};                    ///< "the row of sm_90, measured on NVIDIA H200, inherited"
};

/// The rows used from one of its tables.
struct used_rows {
    std::string tunable, table;  ///< "sort", "sort, elements of 4 bytes"
    std::vector<used_row> uses;
    std::string refusal;  ///< why launchbox emit writes none; empty if it does
};

struct results_report {
    std::vector<shown_run> runs;
    std::vector<used_rows> rows = {};
    std::vector<std::string> diagnostics;  ///< what was left out of the files
    std::size_t top = 10;                  ///< rows of a table for people; always includes the winner and the baseline
    bool all_failures = false;             ///< each with its reason, instead of one per kind
    bool with_samples = false;             ///< JSON contains everything, so that it can be read back
};

document results_document(const results_report& found);

/// One workload of a run: its table with at most `top` rows, its failures, the verdict.
document workload_document(const shown_run& shown, const ranking& workload, std::size_t top, bool all_failures);

/// launchbox.results/1, written candidate by candidate.
void write_results_json(const results_report& found, std::ostream& out);

/// One row per candidate, as in JSON.
table results_table(const results_report& found);

/// The compiler's messages and figures for the stored results.
document results_log_document(const results_report& found);

/// One sentence: what to use on this workload, and how certain that is.
std::string verdict_text(const std::vector<stored_result>& results, const ranking& workload);

}  // namespace launchbox
