// One table for several GPUs: the fewest rows that keep each GPU within some percent of its best.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tune/emit/emit_tables.hpp"

namespace launchbox {

/// Replaces the measured rows; rows marked as not measured stay if no record is of their architecture. Throws `error`
/// if existing rows come from other records than these, or if records cannot be compared.
void fill_for_fleet(const std::vector<emit_record>& records, const emit_settings& settings,
                    const std::vector<row_field>& fields, emitted_table& into);

/// The options with which a header's table was written for several GPUs; `nullopt`: it was not.
std::optional<fleet_wish> within_of(const header_table& table);

}  // namespace launchbox
