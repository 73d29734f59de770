// The names of records by which maps of results can be drawn and divided.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/ranking/landscape.hpp"

namespace launchbox {

/// "run 2 of block_sort.db", safe for a terminal.
std::string run_name(const landscape_source& source);

/// The same for records whose results come from one run, in whatever files they were kept.
std::string run_identity(const recorded_run& run);

/// `nullopt`: this result does not have it.
std::optional<parameter_value> value_of(const landscape_field& field, const landscape_source& source,
                                        const stored_result& result);

/// Each name may be written as in CSV columns, too: workload.n, parameters.items; and record.gpu. Throws `error`,
/// naming `option`, for a name that does not exist, occurs twice or is ambiguous.
std::vector<landscape_field> fields_named(const std::vector<landscape_source>& sources,
                                          const std::vector<std::string>& names, const std::string& option);

/// Kernel, GPU and the workload names that have several values, except those in `but`; and the run, if results still
/// differ in nothing else.
std::vector<landscape_field> fields_that_differ(const std::vector<landscape_source>& sources,
                                                const std::vector<landscape_field>& but);

}  // namespace launchbox
