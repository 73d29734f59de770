// What was good elsewhere (on another GPU, size or type, or in a table that is shipped) is tried first.
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

/// The best candidates of a file, those of each of its runs and workloads in turns, at most `most`. Not two that were
/// the same machine code: they would be here, too.
std::vector<assignment> best_of(const result_file& file, std::size_t max_count);

/// The rows of a header's tables (docs/tunings.md), of the newest architecture first: values are given in the order of
/// the parameters, behind which a row may have more. Those with a value that its parameter does not list are left out.
/// `name` stands in messages. Throws like `parse_tuning_header`.
std::vector<assignment> rows_in_header(std::string_view text, const std::string& name,
                                       const std::vector<tuning_parameter>& parameters);

/// The candidate of a row, whose values are given in the order of the parameters; `nullopt`: one that its parameter
/// does not list, or too few.
std::optional<assignment> candidate_of(const header_row& row, const std::vector<tuning_parameter>& parameters);

/// Those of `candidates` that are in the space, in their order, each once. Names that the space does not have are left
/// out of a candidate, since another version of a kernel may have had more of them.
std::vector<std::size_t> found_in(const search_space& space, const std::vector<std::string>& names,
                                  const std::vector<assignment>& candidates);

}  // namespace launchbox
