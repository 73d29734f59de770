// The file name of a loaded module.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "capture/record/record_format.hpp"

namespace launchbox::record {

inline std::string module_file_name(const module_block& module)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s%016" PRIx64 ".%" PRIu64, module_prefix, module.hash, module.bytes);
    return text.data();
}

}  // namespace launchbox::record
