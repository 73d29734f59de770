// Long names in little room, so that those that differ still look different.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Columns of a kernel's name above its table; there are names of 24,000.
inline constexpr int widest_title = 200;
/// And within a sentence.
inline constexpr int widest_name_in_sentence = 100;

/// Each name in at most `room` columns. What is too long is cut out of the middle, as `shortened` does; where that
/// makes different names alike, what they have in common is cut, and what differs stays.
std::vector<std::string> shortened_apart(const std::vector<std::string>& names, int room);

/// The name of a function in at most `room` columns, where a place in the source stands beside it: long template
/// arguments become `<…>`, then what it is a member of is left out from the front. "AgentReduce<…>::ConsumeTile<0>".
std::string brief_function_name(std::string_view name, int room);

}  // namespace launchbox
