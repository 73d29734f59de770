// The forms of a report on kernels: pages, JSON and CSV, with each kernel written as soon as it is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/inspect/source_folders.hpp"
#include "app/inspect/source_lines.hpp"
#include "cli/report_output.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox::cli {

/// For the kernels in `found`, which must outlive the forms.
report_forms kernel_forms(const inspection& found);

/// "spills" and so on; `none` for an empty word.
line_view parse_line_view(std::string_view word);

/// Replaces pages and rows by kernels with their lines. Sources are shown from `folders`.
void add_line_forms(report_forms& forms, const inspection& found, line_view view, const source_folders& folders);

}  // namespace launchbox::cli
