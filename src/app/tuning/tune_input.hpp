// The inputs of a call of tune: the spec, its workloads, and candidates from other files to try first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/listener.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/store/result_filter.hpp"

namespace launchbox {

/// Reads the spec from a file, or from standard input for "-".
tune_spec read_spec(const std::string& file);

/// A spec of a captured launch with its data; the kernels are compiled from this file.
void take_source(tune_spec& spec, const std::string& source);

/// Keeps the workloads that the user selects: "type=int,n=1e8,2e8". A value that the spec does not have replaces the
/// spec's values. Throws `error` for a name that is not one of the workloads'.
void choose_workloads(tune_spec& spec, const value_filter& wanted);

/// Adds a parameter `controls`, whose values are control files for ptxas (13.3 and later) and "", which means no file;
/// the baseline has "". `patterns`: files, or shell patterns. Throws `error` if a pattern matches no file, and for a
/// spec that has such a parameter already or compiles no kernel.
void add_controls(tune_spec& spec, const std::vector<std::string>& patterns);

/// The best candidates of each results file, and the rows of each header. Throws `error` for a file without any.
std::vector<assignment> warm_candidates(const tune_spec& spec, const std::vector<std::string>& files,
                                        const listener& news);

/// Keeps those that are candidates of the space, and reports their number.
std::vector<std::size_t> warm_start_in(const tune_spec& spec, const search_space& space,
                                       const std::vector<assignment>& candidates, const listener& news);

}  // namespace launchbox
