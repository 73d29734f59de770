// `inspect --lines`: the lines of the source that spill, and the source with figures in its margin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/kernel_input.hpp"
#include "cli/options.hpp"
#include "cli/source_folders.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox::cli {

enum class lines_wish : std::uint8_t { none, spills, registers, memory, source };

/// "spills" and the like; none for an empty word.
lines_wish parse_lines_wish(std::string_view word);

/// What has to be read for it. `memory` needs an nvdisasm.
void ask_for_lines(kernel_input_options& wanted, lines_wish wish);

/// The reports of the kernels in `found`, which outlives them. `lines_shown` of each kernel; sources from `folders`.
void add_lines_forms(report_forms& forms, const inspection& found, lines_wish wish, std::size_t lines_shown,
                     const source_folders& folders);

}  // namespace launchbox::cli
