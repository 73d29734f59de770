// What is said of a call of tune while it works, and of what it cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "app/tuning/tune_call.hpp"

namespace launchbox::cli {

/// "1 candidate", "12,345 candidates"
std::string plural(std::size_t count, const std::string& what);

/// Says it on standard error.
tune_listener terminal_tune_listener();

}  // namespace launchbox::cli
