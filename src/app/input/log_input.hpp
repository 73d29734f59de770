// What the compiler and the linker print.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/log/resource_log.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

struct input_reading;

void read_log(input_reading& reading, const std::string& file, std::string_view text);

/// A loop that is not unrolled can leave an array in local memory. The front end names no kernel, so its warning goes
/// to those that have local memory and no spills.
void hand_on_unroll_warnings(const resource_log& log, std::vector<kernel_info>& kernels);

}  // namespace launchbox
