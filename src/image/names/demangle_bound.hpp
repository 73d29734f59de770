// An upper bound for the work of LLVM's demangler on a name, computed from its letters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace launchbox {

/// An upper bound for the output in bytes and the visited nodes of a mangled name of at most 1024 bytes; saturates at
/// 2^40. The bound doubles with every substitution, so real template names often exceed any sensible limit: it tells
/// what is harmless, not what is hostile.
std::uint64_t demangling_bound(std::string_view mangled);

}  // namespace launchbox
