// The forms of a report of kernels: pages, JSON and CSV, each kernel written as soon as it is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/inspect/source_folders.hpp"
#include "app/inspect/source_lines.hpp"
#include "cli/report_output.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox::cli {

/// Of the kernels in `found`, which outlives them.
report_forms kernel_forms(const inspection& found);

/// "spills" and the like; none for an empty word.
line_view parse_line_view(std::string_view word);

/// In place of the pages and rows: kernels by lines. Sources are shown from `folders`.
void add_line_forms(report_forms& forms, const inspection& found, line_view view, const source_folders& folders);

}  // namespace launchbox::cli
