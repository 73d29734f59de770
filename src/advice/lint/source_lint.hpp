// Problems with launches and flags around the kernels of a source file, judged by its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "advice/lint/lint_launches.hpp"
#include "compiler/run/source_unit.hpp"

namespace launchbox {

struct lint_request {
    std::string file;       ///< as the user gave it
    std::string_view text;  ///< only of this file
    std::vector<linted_kernel> kernels;
    std::vector<std::string> flags;  ///< of the compiler
    /// The file as the compiler sees it. Without it only the text counts, and its includes are not read.
    const source_unit* unit = nullptr;
};

/// The findings that belong to the file and not to one kernel, by line. Reports nothing that the text does not prove:
/// see docs/findings.md.
std::vector<diagnosis> lint_source(const lint_request& request);

/// Findings of the file itself first, those without a line before all others, then by line.
void sort_by_place(std::vector<diagnosis>& findings, const std::string& file);

}  // namespace launchbox
