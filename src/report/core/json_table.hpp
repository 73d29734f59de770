// Tables for programs: each cell is a member of the row's JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

#include "report/core/document.hpp"

namespace launchbox {

struct json_column {
    const char* title;
    const char* path = nullptr;  ///< a JSON pointer; null: the member named like the title
    int digits = 6;              ///< of numbers that are not whole; 0: all
};

/// The value without quotes; the elements of a list separated by spaces; nothing for null.
std::string json_cell(const nlohmann::ordered_json& value, int digits = 0);

/// `unknown` is shown for null and for missing members.
table json_table(std::initializer_list<json_column> columns, const nlohmann::ordered_json& rows,
                 const char* unknown = "");

/// A column for each member of the header, under its own name and with all digits; for a member that is an object, one
/// for each of its members, including those that only rows have: "workload.n".
table flat_table(const nlohmann::ordered_json& rows, nlohmann::ordered_json header);

}  // namespace launchbox
