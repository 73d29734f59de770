// The ids of limiting resources, for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/occupancy.hpp>

#include <string>
#include <vector>

namespace launchbox {

/// "registers", "shared", ...: in display order.
inline std::vector<std::string> limiter_ids(const occupancy_result& result)
{
    static constexpr const char* ids[resource_count] = {"warps",  "blocks",   "registers",
                                                        "shared", "barriers", "virtual_resources"};
    std::vector<std::string> found;
    for (int i = 0; i < resource_count; ++i)
        if (result.limiters.contains(static_cast<resource>(i))) found.emplace_back(ids[i]);
    return found;
}

/// The same in one cell, separated by spaces.
inline std::string limiter_ids_text(const occupancy_result& result)
{
    std::string text;
    for (const std::string& id : limiter_ids(result)) text += (text.empty() ? "" : " ") + id;
    return text;
}

}  // namespace launchbox
