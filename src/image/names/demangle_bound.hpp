// An upper bound for the work of LLVM's demangler with a name, from its letters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace launchbox {

/// An upper bound of the bytes that a mangled name of at most 1024 bytes becomes, and of the nodes visited for them;
/// saturates at 2^40. The bound doubles with every substitution, so that the real names of templates often exceed any
/// sensible limit: it says what is harmless, not what is hostile.
std::uint64_t demangling_bound(std::string_view mangled);

}  // namespace launchbox
