// Kernels by the lines of their sources: what has to be read for that, and the names and sources in such a report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/input/kernel_input.hpp"
#include "app/inspect/source_folders.hpp"
#include "report/kernels/kernels_report.hpp"
#include "report/kernels/lines_report.hpp"

namespace launchbox {

enum class line_view : std::uint8_t { none, spills, registers, memory, source };

/// What has to be read for it. Throws `error` if `memory` needs nvdisasm and it is not found.
void ask_for_lines(kernel_request& request, line_view view);

/// The functions that a page names; `lines_shown` of each kernel. Short names: with template arguments, a library's
/// functions would fill a screen per line.
line_names brief_line_names(const inspection& found, line_view view, std::size_t lines_shown);

/// All functions, in full.
line_names full_line_names(const inspection& found);

/// The sources with figures in the margin, or why one is not shown.
std::vector<margin_source> margin_sources(const inspection& found, const source_folders& folders);

}  // namespace launchbox
