// `inspect --lines`: the lines of the source that spill, and the source with figures in its margin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options.hpp"
#include "report/kernels_report.hpp"

namespace launchbox::cli {

/// The reports of the kernels in `found`, which outlives them. `source`: the text of the sources is shown too.
/// `lines_shown` of each kernel.
void add_lines_forms(report_forms& forms, const inspection& found, bool source, std::size_t lines_shown);

}  // namespace launchbox::cli
