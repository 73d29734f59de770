// The charts of `launchbox occupancy`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/model/account.hpp"
#include "report/charts/chart_data.hpp"

namespace launchbox {

/// Resident warps over block size, registers and shared memory from `account.curves`, with the present point marked.
/// `prefix` starts each id.
std::vector<chart> occupancy_charts(const occupancy_account& account, const std::string& prefix);

/// Occupancy by architecture and block size; the accounts differ in architecture.
chart occupancy_map(const std::vector<occupancy_account>& accounts);

}  // namespace launchbox
