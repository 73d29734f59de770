// LLVM's demangler under the standard name that libc++abi gives it; only for WebAssembly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstddef>

namespace llvm {

inline char* itaniumDemangle(const char* name, char* buffer, std::size_t* size, int* status)
{
    return abi::__cxa_demangle(name, buffer, size, status);
}

}  // namespace llvm
