// What is wrong with launches and flags around the kernels of a source file, judged by its text.
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
    std::string_view text;  ///< of this file alone
    std::vector<linted_kernel> kernels;
    std::vector<std::string> flags;  ///< of the compiler
    /// What the compiler sees of the file. Without it the text alone counts, and what it includes is not read.
    const source_unit* unit = nullptr;
};

/// The findings that belong to the file and not to one kernel, by lines. It reports nothing that the text does not
/// prove: see docs/findings.md.
std::vector<diagnosis> lint_source(const lint_request& request);

/// Those of the file itself first, those of no line before all, then by lines.
void sort_by_place(std::vector<diagnosis>& findings, const std::string& file);

}  // namespace launchbox
