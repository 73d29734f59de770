// Shortens long names so that different ones still look different.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Widest kernel name above its table; some names have 24,000 characters.
inline constexpr int widest_title = 200;
/// Widest name within a sentence.
inline constexpr int widest_name_in_sentence = 100;

/// Each name in at most `room` columns. Long names are cut in the middle, as `shortened` does; if that makes different
/// names equal, their common part is cut instead.
std::vector<std::string> shortened_apart(const std::vector<std::string>& names, int room);

/// A function's name in at most `room` columns, for use beside a source location: long template arguments become `<…>`,
/// then enclosing scopes are dropped from the front. "AgentReduce<…>::ConsumeTile<0>".
std::string brief_function_name(std::string_view name, int room);

}  // namespace launchbox
