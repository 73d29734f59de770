// `occupancy --open`: the calculator's page with the values of a launch, in the browser.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/model/account.hpp"

namespace launchbox::cli {

/// What stands behind # in the address of a page with these values.
std::string calculator_state(const occupancy_question& question);

/// Writes the page of the first account into the temporary folder and opens it, or prints its path where nothing can
/// open it. Throws `error` where this build is without the calculator.
void open_calculator(const std::vector<occupancy_account>& accounts);

}  // namespace launchbox::cli
