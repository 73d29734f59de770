// Rows as tuning policies of CUB: policy selectors for its public interface, policy hubs where it has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/emit/emit_tables.hpp"

namespace launchbox {

/// One table per measured type, whose rows apply only to the architecture that they were measured on. A row must beat
/// CUB's own tuning. Throws `error` for records that launchbox tune cub:NAME did not measure.
emitted_tables cub_tables(const std::vector<emit_record>& records, const emit_settings& settings);

/// A whole header: the measurements of these rows, and the rows.
std::string cub_header(const emitted_tables& emitted, const std::vector<emit_record>& records,
                       const emit_settings& settings);

}  // namespace launchbox
