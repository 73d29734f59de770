// The arithmetic of each limit, step by step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/model/account.hpp"

namespace launchbox {

/// For warps, blocks, registers, shared memory, barriers, and, if the launch has them, clusters.
std::vector<limit_account> limit_accounts(const occupancy_question& question, const occupancy_result& result,
                                          const std::optional<cluster_account>& clusters);

/// In spreadsheet mode, one sentence for every limit in which the spreadsheet and the driver differ here; else empty.
std::vector<std::string> spreadsheet_differences(const occupancy_question& question, const occupancy_result& result);

}  // namespace launchbox
