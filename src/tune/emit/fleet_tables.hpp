// One table for several GPUs: as few rows as keep each of them within some percent of its best.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tune/emit/emit_tables.hpp"

namespace launchbox {

/// Replaces the rows that were measured; those that are marked as not measured stay, where no record is of their
/// architecture. Throws `error` where rows come of other records than these, or records cannot be compared.
void fill_for_fleet(const std::vector<emit_record>& records, const emit_settings& settings,
                    const std::vector<row_field>& fields, emitted_table& into);

/// What was asked for when a table of a header was written for several GPUs; `nullopt`: it was not.
std::optional<fleet_wish> within_of(const header_table& table);

}  // namespace launchbox
