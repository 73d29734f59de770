// Results that other tuners have recorded: Kernel Tuner's cache, T4, KTT's output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// Which of these `text` is, by its content; `nullopt`: none. What can be read is read; what is cut off, not closed, of
/// another version or has no number for a time is named in `diagnostics`. Throws `error` where nothing can be read.
/// Candidates that failed are results with an outcome. Costs: `compile_seconds` and `measured.seconds`.
std::optional<result_file> read_foreign_results(std::string_view text, const std::string& name);

}  // namespace launchbox
