// Rows of the result store as values. Whoever wrote the file: what is not as launchbox writes it is left out and named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tune/store/result_json.hpp"
#include "tune/store/sqlite_database.hpp"

namespace launchbox {

/// Sentences about rows that were left out.
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
