// Rows for programs that do not use launch_box: a constexpr table, flags for a compiler, JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "tune/emit/emit_tables.hpp"

namespace launchbox {

/// A header with one constexpr array per table, and a function that finds the newest row that is not newer than the
/// requested architecture.
std::string constexpr_header(const emitted_tables& emitted, const emit_settings& settings);

/// One line per architecture and table: "sm_90 -DBOX_THREADS=256 -DBOX_ITEMS=15".
std::string define_flags(const emitted_tables& emitted);

/// launchbox.rows/1.
nlohmann::ordered_json rows_json(const emitted_tables& emitted, const std::vector<emit_record>& records,
                                 const emit_settings& settings);

}  // namespace launchbox
