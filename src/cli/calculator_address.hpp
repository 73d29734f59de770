// `occupancy --open`: opens the calculator's page with the values of a launch in the browser.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "advice/model/account.hpp"

namespace launchbox::cli {

/// Writes the page of the first account to the temporary folder and opens it, or prints its path if nothing can open
/// it. Throws `error` if this build lacks the calculator.
void open_calculator(const std::vector<occupancy_account>& accounts);

}  // namespace launchbox::cli
