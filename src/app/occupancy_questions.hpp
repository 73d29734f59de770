// Many launches at once: a table of comma-separated values with a launch in each line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/model/occupancy_answer.hpp"
#include "app/occupancy.hpp"

namespace launchbox {

/// The columns that such a table can have: the options of the command line without their dashes.
std::vector<std::string> question_columns();

/// An answer a line, in their order. `table` begins with a line that names its columns; an empty cell is not told, as
/// an option that is left out. What `common` has is the same for all lines. Throws `error`, with the line and the
/// column, for the first that is wrong: one wrong launch may mean that all are.
std::vector<occupancy_answer> answers_of_table(const occupancy_request& common, std::string_view table,
                                               const std::string& name);

}  // namespace launchbox
