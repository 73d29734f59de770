// Many kernels as one list: one row per kernel and architecture, with the name at the end, cut to the width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// The list of `inspect`, and the number of each finding.
void add_kernel_list(document& page, const inspection& found, const std::vector<finding_count>& findings,
                     const output_style& style, table_place place);

/// Adds `names`, one per row, as the last column, cut with `shortened_apart` so that each row of the table takes one
/// line of the style's width.
void add_names(table& rows, const std::vector<std::string>& names, const output_style& style);

}  // namespace launchbox
