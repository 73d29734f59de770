// What a call of tune works on: the spec, its workloads, and candidates from elsewhere that are tried first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/listener.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/store/result_filter.hpp"

namespace launchbox {

/// The spec in a file, or in standard input where it is "-".
tune_spec read_spec(const std::string& file);

/// Of a captured launch: its data, and kernels that are compiled from this file.
void take_source(tune_spec& spec, const std::string& source);

/// Leaves the workloads that the user means: "type=int,n=1e8,2e8". A value that the spec does not have takes the place
/// of its values. Throws `error` for a name that the workloads do not have.
void choose_workloads(tune_spec& spec, const value_filter& wanted);

/// Control files for ptxas (13.3 and later) as the values of one more parameter, `controls`, beside "", which is none
/// of them; the baseline has none. `patterns`: files, or shell patterns. Throws `error` for what names no file, and for
/// a spec that has such a parameter or compiles no kernel.
void add_controls(tune_spec& spec, const std::vector<std::string>& patterns);

/// The best candidates of each file of results, and the rows of each header. Throws `error` for a file without any.
std::vector<assignment> warm_candidates(const tune_spec& spec, const std::vector<std::string>& files,
                                        const listener& news);

/// Those that are candidates of the space, whose count is said.
std::vector<std::size_t> warm_start_in(const tune_spec& spec, const search_space& space,
                                       const std::vector<assignment>& candidates, const listener& news);

}  // namespace launchbox
