// SPDX-License-Identifier: Apache-2.0
#include "capture/session/observer_bytes.hpp"

#include <cstddef>

#ifdef LAUNCHBOX_OBSERVER_FILE
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    "launchbox_observer_begin:\n"
    ".incbin \"" LAUNCHBOX_OBSERVER_FILE
    "\"\n"
    "launchbox_observer_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
extern const char launchbox_observer_begin[], launchbox_observer_end[];
}
#endif

namespace launchbox {

std::string_view observer_bytes()
{
#ifdef LAUNCHBOX_OBSERVER_FILE
    return {launchbox_observer_begin, static_cast<std::size_t>(launchbox_observer_end - launchbox_observer_begin)};
#else
    return {};
#endif
}

}  // namespace launchbox
