// Candidates to try first: those that were good elsewhere (on another GPU, size or type, or in a shipped table).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/emit/tuning_header.hpp"
#include "tune/space/search_space.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// The best candidates of a file, alternating between its runs and workloads, at most `most`. Never two with the same
/// machine code, since they would probably be equal here, too.
std::vector<assignment> best_of(const result_file& file, std::size_t max_count);

/// The rows of a header's tables (docs/tunings.md), newest architecture first: values are in the order of the
/// parameters, and a row may have more values behind them. Rows with a value that its parameter does not list are left
/// out. `name` is used in messages. Throws like `parse_tuning_header`.
std::vector<assignment> rows_in_header(std::string_view text, const std::string& name,
                                       const std::vector<tuning_parameter>& parameters);

/// The candidate of a row, whose values are in the order of the parameters; `nullopt` if a parameter does not list its
/// value, or values are missing.
std::optional<assignment> candidate_of(const header_row& row, const std::vector<tuning_parameter>& parameters);

/// The `candidates` that are in the space, in their order, each once. Names that the space does not have are dropped,
/// since another version of a kernel may have had more parameters.
std::vector<std::size_t> found_in(const search_space& space, const std::vector<std::string>& names,
                                  const std::vector<assignment>& candidates);

}  // namespace launchbox
