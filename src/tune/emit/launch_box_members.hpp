// Which parameters of a spec are the members that a row of launch_box must have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/emit/row_fields.hpp"

namespace launchbox {

/// The user's names of them in the spec; empty: they are named like the member, or as it is often called.
struct launch_box_members {
    std::string threads, items, min_blocks;
};

/// Gives the fields for threads, items and min_blocks these names. Throws `error` where there are no threads or items,
/// or where several parameters could be one.
void name_launch_box_members(std::vector<row_field>& fields, const launch_box_members& given);

}  // namespace launchbox
