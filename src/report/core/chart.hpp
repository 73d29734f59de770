// Charts of characters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "advice/model/account.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

/// Resident warps over one quantity, as columns of blocks, with the user's own point marked below. Lines end with '\n'.
std::string render_chart(const occupancy_curve& curve, int warp_slots, const output_style& style);

}  // namespace launchbox
