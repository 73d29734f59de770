// Reads results of other tuners: Kernel Tuner's cache, T4, KTT's output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// Which of these formats `text` has, by its content; `nullopt`: none. Reads as much as possible; data that is cut off,
/// not closed, of another version or without a numeric time is named in `diagnostics`. Throws `error` if nothing can be
/// read. Failed candidates are results with an outcome. Costs: `compile_seconds` and `measured.seconds`.
std::optional<result_file> read_foreign_results(std::string_view text, const std::string& name);

}  // namespace launchbox
