// Many kernels as one list: a row for each kernel and architecture, its name at the end and cut to the width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// The list of `inspect`, and how often each finding occurs.
void add_kernel_list(document& page, const inspection& found, const std::vector<finding_count>& findings,
                     const output_style& style, table_place place);

/// Adds `names`, one a row, as the last column and cuts what is too wide as `shortened_apart` does, so that each row of
/// the table takes one line of the style's width.
void add_names(table& rows, const std::vector<std::string>& names, const output_style& style);

}  // namespace launchbox
