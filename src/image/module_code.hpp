// Whether two modules do the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "image/kernel_info.hpp"

namespace launchbox {

/// 32 hexadecimal digits, equal for kernels that do the same when launched alike: of the kernel's machine code and
/// constants, of the functions, constants and variables of its module, and of what `kernel` says of registers, stack,
/// shared memory, barriers, bounds and parameters. No names go into it, nor the other kernels, unless their address is
/// taken. Empty where `cubin` cannot be read or `kernel.name` is not in it.
std::string module_code(std::string_view cubin, const kernel_info& kernel);

}  // namespace launchbox
