// A launch in the form of the calculator's address.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "advice/inspect/inspected_kernel.hpp"
#include "advice/model/account.hpp"

namespace launchbox {

/// The part after # in the address of a calculator with these values; unknown ones are named in `unknown`.
std::string calculator_state(const occupancy_question& question);

/// The same for a compiled kernel; empty if its registers or architecture are unknown. A missing block size becomes the
/// calculator's default.
std::string calculator_state(const inspected_kernel& kernel);

}  // namespace launchbox
