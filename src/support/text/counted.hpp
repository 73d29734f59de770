// Counts in the form that people read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "support/text/terminal.hpp"

namespace launchbox {

/// "1,336".
inline std::string count_text(std::size_t count)
{
    return with_commas(static_cast<std::int64_t>(count));
}

/// "1 candidate", "1,336 candidates".
inline std::string counted(std::integral auto count, const char* one, const char* more)
{
    return with_commas(static_cast<std::int64_t>(count)) + " " + (count == 1 ? one : more);
}

}  // namespace launchbox
