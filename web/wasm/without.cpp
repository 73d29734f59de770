// What a page has not: child processes, and exceptions. For WebAssembly alone.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "image/names/demangle_child.hpp"

namespace launchbox {

// Names that could exhaust memory stay as the linker has them.
std::vector<std::string> read_in_children(const std::vector<std::string>& names, std::string (*)(const std::string&))
{
    return names;
}

}  // namespace launchbox

// libc++abi of Debian has no exceptions on WebAssembly. What throws here, memory that is used up above all, ends the
// program; the page says so and starts it again.
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
