// Finds which compiler wrote a line, if several write a log at the same time, by the prefixes of build tools.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/log/log_pieces.hpp"

namespace launchbox {

/// The writer's name in the prefix of a line: "1>", "#7" for "#7 12.34", "trainer-1" for "trainer-1  | ", without
/// times, which differ from line to line. A time alone is not a name, but "8.0" may be one: `is_number`.
struct writer_name {
    std::string text;  ///< empty if there is none
    bool is_number = false;
};
writer_name name_in_prefix(std::string_view prefix);

/// The line without the prefix of build tools: "[ 50%] ", "[3/7] ", "1>", "#7 12.34 ", times, "name | ".
std::string_view without_prefix(std::string_view text);

/// For each piece, the number of its writer; 0: unknown. A prefix names a writer only if it occurs at the beginning and
/// at the end of a report, unlike line numbers and the prefixes that loggers add to the first line of a message.
std::vector<std::size_t> writers_of(const std::vector<log_piece>& pieces);

}  // namespace launchbox
