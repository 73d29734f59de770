// Which parameters of a spec become the members that a launch_box row must have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/emit/row_fields.hpp"

namespace launchbox {

/// The names that the user gave for them; empty: the parameter has the member's name, or a common name for it.
struct launch_box_members {
    std::string threads, items, min_blocks;
};

/// Gives the fields for threads, items and min_blocks these names. Throws `error` if there is no parameter for threads
/// or items, or if several could be the same member.
void name_launch_box_members(std::vector<row_field>& fields, const launch_box_members& given);

}  // namespace launchbox
