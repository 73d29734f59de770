// The PTX of a binary as text, and PTX with another register limit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "image/launch_attribute.hpp"

namespace launchbox {

/// Calls `use` with each PTX module, decompressed, of a file of any kind that `read_binary` reads, in the order of the
/// file; the text is valid during the call. Damaged parts are skipped.
void for_each_ptx(std::string_view file, const std::function<void(std::string_view ptx)>& use);

/// The module with `.maxnreg count` for this kernel, replacing its `.maxnreg` or `.minnctapersm`, which would conflict.
/// Throws `error` if the text is damaged or has no such kernel with a body.
std::string with_max_registers(std::string_view ptx, std::string_view kernel, int count);

/// The module with this attribute for a kernel, replacing its own. A front end that sees the attribute may generate
/// different PTX from the same source. Throws as `with_max_registers` does.
std::string with_attribute(std::string_view ptx, std::string_view kernel, const launch_attribute& attribute);

}  // namespace launchbox
