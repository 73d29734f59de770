// The questions of the calculator's page: JSON in and out, with the names of the tool's own JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox::calculator {

/// Answers one question with a JSON object; {"error": TEXT} where it cannot. `what` is
///   "occupancy", "map"   `input` is a JSON object with the values of the page's fields; what is missing, of another type
///                        or out of range is taken as the nearest that the model takes
///   "architectures"      `input` is not used
///   "log", "binary"      `input` is the text of a compiler's log, or the bytes of a file
/// Never throws but for memory that is used up.
std::string answer(std::string_view what, std::string_view input);

}  // namespace launchbox::calculator
