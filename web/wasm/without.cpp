// Replacements for what a page lacks: child processes, and exceptions. Only for WebAssembly.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "image/names/demangle_child.hpp"

namespace launchbox {

// Names that could exhaust memory stay mangled.
std::vector<std::string> read_in_children(const std::vector<std::string>& names, std::string (*)(const std::string&))
{
    return names;
}

}  // namespace launchbox

// Debian's libc++abi has no exceptions on WebAssembly. A throw, usually for lack of memory, ends the program; the page
// reports that and restarts it.
extern "C" {
[[noreturn]] void __cxa_throw(void*, void*, void (*)(void*))
{
    __builtin_trap();
}
void* __cxa_allocate_exception(std::size_t) noexcept
{
    __builtin_trap();
}
}
