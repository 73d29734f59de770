// A launch as the calculator's address has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "advice/inspect/inspected_kernel.hpp"
#include "advice/model/account.hpp"

namespace launchbox {

/// What stands behind # in the address of a calculator with these values; what is not known is named in `unknown`.
std::string calculator_state(const occupancy_question& question);

/// The same of a compiled kernel; empty where its registers or its architecture are not known. Without a block size,
/// that of the calculator.
std::string calculator_state(const inspected_kernel& kernel);

}  // namespace launchbox
