// Many launches at once: a table of comma-separated values with one launch per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/model/occupancy_answer.hpp"
#include "app/occupancy.hpp"

namespace launchbox {

/// The columns that such a table may have: the options of the command line without their dashes.
std::vector<std::string> question_columns();

/// One answer per line, in their order. The first line of `table` names its columns; an empty cell is as an option that
/// is left out. `common` applies to all lines. Throws `error` for the first wrong line, with line and column, since one
/// wrong launch may mean that all are wrong.
std::vector<occupancy_answer> answers_of_table(const occupancy_request& common, std::string_view table,
                                               const std::string& name);

}  // namespace launchbox
