// The parameters of a tunable as members of a C++ struct, and a candidate's values as they stand in a source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

struct row_field {
    enum class kind { boolean, int32, int64, float64, enumerator };
    std::string name;       ///< of the member
    std::string parameter;  ///< of the spec
    kind what = kind::int32;
    std::vector<std::string> enumerators = {};  ///< as they are in the spec, sorted
};

/// In the spec's order. Throws `error` if two parameters, or two words of one, would have the same C++ name, and if
/// runs have different parameters.
std::vector<row_field> row_fields(const std::vector<const recorded_run*>& runs);

/// A candidate's values; a word becomes an enumerator of the member's type, whatever that type is called.
std::vector<std::string> row_values(const std::vector<row_field>& fields, const assignment& candidate,
                                    const std::string& row_type);

/// The candidate of a run with these values; `nullopt`: there is none.
std::optional<assignment> candidate_with(const recorded_run& run, const std::vector<row_field>& fields,
                                         const std::vector<std::string>& values, const std::string& row_type);

/// The struct with these members; for a launch_box it adds min_blocks if the spec has none, and a comparison.
std::string row_struct(const std::vector<row_field>& fields, const std::string& row_type, bool for_launch_box);

/// Makes a C++ name of any text.
std::string identifier_of(const std::string& text);

/// The text with a to z in capitals, for names of macros.
std::string in_capitals(std::string text);

}  // namespace launchbox
