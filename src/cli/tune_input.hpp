// What a call of tune works on: the spec, its workloads, and candidates from elsewhere that are tried first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output_file.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox::cli {

/// What was not taken over of a T1 problem goes to standard error. With `write_spec` (a file, "-": standard output) the
/// spec that was made is written, and there is none to tune.
std::optional<tune_spec> read_spec(const std::string& file, const output_file& write_spec);

/// Leaves the workloads that the user means: "type=int,n=1e8,2e8", as `results` reads it (parse_value_filter). A value
/// that the spec does not have takes the place of its values. Throws `error` for a name that the workloads do not have.
void choose_workloads(tune_spec& spec, const std::vector<std::string>& texts);

/// The best candidates of each file of results, and the rows of each header. Throws `error` for a file without any.
std::vector<assignment> warm_candidates(const tune_spec& spec, const std::vector<std::string>& files);

/// Those that are candidates of the space, whose count is said.
std::vector<std::size_t> warm_start_in(const tune_spec& spec, const search_space& space,
                                       const std::vector<assignment>& candidates);

}  // namespace launchbox::cli
