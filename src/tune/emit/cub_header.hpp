// Rows as tuning policies of CUB: policy selectors for its public interface, policy hubs where it has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/emit/emit_tables.hpp"

namespace launchbox {

/// For each type that was measured a table, whose rows are for the architecture that they were measured on and no
/// other. CUB's own tuning is what a row has to beat. Throws `error` for what launchbox tune cub:NAME has not measured.
emitted_tables cub_tables(const std::vector<emit_record>& records, const emit_settings& settings);

/// A whole header: what was measured with these rows, and the rows.
std::string cub_header(const emitted_tables& emitted, const std::vector<emit_record>& records,
                       const emit_settings& settings);

}  // namespace launchbox
