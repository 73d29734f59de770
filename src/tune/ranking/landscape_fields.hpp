// What maps of results can be drawn over and divided by: the names that records have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/ranking/landscape.hpp"

namespace launchbox {

/// "run 2 of block_sort.db", fit for a terminal.
std::string run_name(const landscape_source& source);

/// The same for records whose results are of one run, wherever they were kept.
std::string run_identity(const recorded_run& run);

/// `nullopt`: this result has none.
std::optional<parameter_value> value_of(const landscape_field& field, const landscape_source& source,
                                        const stored_result& result);

/// Each name may be written as in the columns of CSV, too: workload.n, parameters.items; and record.gpu. Throws `error`
/// for a name that there is not, twice, or of two things; `option` is named in it.
std::vector<landscape_field> fields_named(const std::vector<landscape_source>& sources,
                                          const std::vector<std::string>& names, const std::string& option);

/// Kernel, GPU and the names of the workload that have several values, without those in `but`; and the run, where
/// that is still not all that results must be told apart by.
std::vector<landscape_field> fields_that_differ(const std::vector<landscape_source>& sources,
                                                const std::vector<landscape_field>& but);

}  // namespace launchbox
