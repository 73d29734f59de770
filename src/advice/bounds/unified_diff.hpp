// The difference of two texts as a patch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// In the form of `diff -u`, with three lines of context, so that `patch` can apply it; empty if nothing differs. Texts
/// that differ in more than some hundred lines become a single change.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& file);

}  // namespace launchbox
