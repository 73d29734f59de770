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

/// The text of a spec, or the one that is made of a T1 file.
struct spec_text {
    std::string file, text;
    bool is_translated = false;
    bool has_kernel = true;               ///< that launchbox can compile
    std::vector<std::string> notes = {};  ///< what was not translated of a T1 file
};

/// `written_to`: where the spec that is made will be, for the paths in it; empty: nowhere.
spec_text read_spec_text(const std::string& file, const std::string& written_to);

tune_spec spec_of(const spec_text& read);

/// Of a captured launch: its data, and kernels that are compiled from this file.
void take_source(tune_spec& spec, const std::string& source);

/// Leaves the workloads that the user means: "type=int,n=1e8,2e8". A value that the spec does not have takes the place
/// of its values. Throws `error` for a name that the workloads do not have.
void choose_workloads(tune_spec& spec, const value_filter& wanted);

/// The best candidates of each file of results, and the rows of each header. Throws `error` for a file without any.
std::vector<assignment> warm_candidates(const tune_spec& spec, const std::vector<std::string>& files,
                                        const listener& news);

/// Those that are candidates of the space, whose count is said.
std::vector<std::size_t> warm_start_in(const tune_spec& spec, const search_space& space,
                                       const std::vector<assignment>& candidates, const listener& news);

}  // namespace launchbox
