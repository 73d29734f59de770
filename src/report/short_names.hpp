// Long names in little room, so that those that differ still look different.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Each name in at most `room` columns. What is too long is cut out of the middle, as `shortened` does; where that
/// makes different names alike, what they have in common is cut, and what differs stays.
std::vector<std::string> shortened_apart(const std::vector<std::string>& names, int room);

}  // namespace launchbox
