// Unifies the spellings of different versions of LLVM's demangler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// A demangled name as LLVM 15 and later write it, whatever the version: `a<b<c>>` for `a<b<c> >`, and `f<&g(int), !v>`
/// for `f<&(g(int)), !(v)>`. Expressions with two operands keep the parentheses of their version.
std::string one_spelling(std::string_view demangled);

}  // namespace launchbox
