// Recognises modules that do the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "image/kernel_info.hpp"

namespace launchbox {

/// 32 hexadecimal digits, equal for kernels that do the same when launched alike. Covers the kernel's machine code and
/// constants; the functions, constants and variables of its module; and the registers, stack, shared memory, barriers,
/// bounds and parameters in `kernel`. Names are left out, and so are other kernels, unless their address is taken.
/// Empty if `cubin` cannot be read or does not contain `kernel.name`.
std::string module_code(std::string_view cubin, const kernel_info& kernel);

}  // namespace launchbox
