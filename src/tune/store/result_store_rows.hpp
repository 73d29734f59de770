// Rows of the result store as values. The file is not trusted: rows that differ from what launchbox writes are left out
// and reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tune/store/result_json.hpp"
#include "tune/store/sqlite_database.hpp"

namespace launchbox {

/// Sentences about omitted rows.
using row_diagnostics = std::set<std::string>;

std::vector<std::pair<std::int64_t, run_info>> read_runs(const sqlite_database& database, row_diagnostics& diagnostics);
std::vector<stored_result> read_results(const sqlite_database& database, std::int64_t run,
                                        row_diagnostics& diagnostics);
std::vector<race_result_info> read_races(const sqlite_database& database, std::int64_t run,
                                         row_diagnostics& diagnostics);
std::vector<device_record> read_devices(const sqlite_database& database, std::int64_t run,
                                        row_diagnostics& diagnostics);
std::vector<attempt> read_attempts(const sqlite_database& database, std::int64_t run, row_diagnostics& diagnostics);

}  // namespace launchbox
