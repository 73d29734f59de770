// Common parts of the reports on recorded runs: names, headings, counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "report/tune/results_report.hpp"

namespace launchbox {

/// "threads=256 items=11", safe for a terminal.
std::string names_of(const assignment& values);

/// "type = int, n = 1,048,576"; "the workload" if it has no values.
std::string workload_name(const assignment& values);

/// Names of the workloads without values that all share, one for each.
std::vector<std::string> workload_names(const std::vector<assignment>& workloads);

/// 0.004 as "0.4 %", 0.25 as "25 %".
std::string percent_text(double part);

/// The result of comparing two times whose intervals overlap, so that they differ by `within` at most: "equal within
/// 0.4 %"; from 10 % on, when nobody would call them equal, "no measurable difference (up to 25 %)".
std::string equality_text(double within);

/// The sentences for samples that cannot decide the best candidate. `baseline` is empty if there is none.
std::string no_winner_text(const sample_noise& noise, const std::string& fastest, const std::string& baseline);

/// Nanoseconds as milliseconds, with four digits for `smallest`, the smallest of the column.
std::string milliseconds(double nanoseconds, double smallest);

/// A number with four digits: "0.09685", "210.8".
std::string quantity_text(double value);

/// 0.0042 s to 12,345 s in few digits, without the unit.
std::string seconds_text(double seconds);

/// "block_sort on NVIDIA H200".
std::string run_title(const run_info& info);

/// Architecture, driver, toolkit, date, number and file.
std::string run_line(const shown_run& shown);

// With more columns, the figures do not fit into 80 characters.
inline constexpr std::size_t max_parameter_columns = 5;

/// Which parameters have a column. If there is no room, parameters with a single value go below the table, and if many
/// differ, all go into the last column, which is wrapped.
struct parameter_columns {
    std::vector<std::string> names;
    std::vector<std::string> in_last;  ///< those of the last column
    std::string constant;              ///< "unroll=1 vector=4"; empty if none
};
/// `room`: the number of columns available, if other figures need more width than usual.
parameter_columns columns_of(const std::vector<const assignment*>& candidates,
                             std::size_t room = max_parameter_columns);
void add_columns(const parameter_columns& columns, table& rows);
void add_cells(const parameter_columns& columns, const assignment& candidate, std::vector<cell>& row);
/// The last column; if `title` is empty, it is added only if parameters need it.
void add_last_column(const parameter_columns& columns, const std::string& title, table& rows);
void add_last_cell(const parameter_columns& columns, const assignment& candidate, const cell& note,
                   std::vector<cell>& row);

/// Notes what was left out of the files.
void add_diagnostics(const std::vector<std::string>& diagnostics, document& page);

}  // namespace launchbox
