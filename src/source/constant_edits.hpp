// Sets macros and constants that a source defines itself, which a compiler's -D cannot change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace launchbox {

using constant_values = std::vector<std::pair<std::string, std::string>>;

/// Values are passed to a compile in a flag that no compiler sees.
std::string source_constant_flag(std::string_view name, std::string_view value);

/// Removes these flags and returns their values.
constant_values take_source_constants(std::vector<std::string>& flags);

/// The text with these values in its definitions: `#define NAME 256`, `constexpr int NAME = 256;`. Throws `error` for a
/// name that it does not define, or defines more than once.
std::string with_constants(const std::string& text, const constant_values& values);

}  // namespace launchbox
