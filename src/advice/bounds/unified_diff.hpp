// The difference of two texts as a patch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// As `diff -u` writes it, with three lines of context, so that `patch` can apply it; empty when nothing differs. Texts
/// that have more than some hundred lines of difference come out as one change of all that lies between.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& file);

}  // namespace launchbox
