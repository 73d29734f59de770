// Counts in the form that people read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "support/text/counted.hpp"

namespace launchbox {

/// "1,336".
inline std::string count_text(std::size_t count)
{
    return with_commas(static_cast<std::int64_t>(count));
}

}  // namespace launchbox
