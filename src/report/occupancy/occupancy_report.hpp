// The explanation of `occupancy`, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "advice/model/account.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// The page for people.
document occupancy_document(const std::vector<occupancy_account>& accounts);

/// launchbox.occupancy/1.
nlohmann::ordered_json occupancy_json(const std::vector<occupancy_account>& accounts);

/// One account, as in `results[]` of launchbox.occupancy/1 and `kernels[].occupancy` of launchbox.kernels/2.
nlohmann::ordered_json account_json(const occupancy_account& account);

/// One row per account: the figures without the arithmetic.
table occupancy_table(const std::vector<occupancy_account>& accounts);

/// "50 %", "62.5 %".
std::string percent(double fraction);

}  // namespace launchbox
