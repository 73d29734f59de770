// Both readable forms of many kernel names at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct readable_name {
    std::string demangled;
    std::string short_form;  ///< as from `short_name`
};

/// In the order of `names`, on all cores; equal names are demangled once.
std::vector<readable_name> readable_names(const std::vector<std::string_view>& names);

}  // namespace launchbox
