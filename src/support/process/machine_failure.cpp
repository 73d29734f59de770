// SPDX-License-Identifier: Apache-2.0
#include "support/process/machine_failure.hpp"

#include <algorithm>
#include <array>

namespace launchbox {

namespace {

// What strerror says of ENOSPC, EDQUOT, EMFILE and ENFILE, ENOMEM, EAGAIN, ETXTBSY, EIO, ESTALE; what gcc says when it
// gets no memory, and when the system's guard against it ends one of its parts.
constexpr std::array<std::string_view, 10> phrases{"No space left on device",
                                                   "Disk quota exceeded",
                                                   "Too many open files",
                                                   "Cannot allocate memory",
                                                   "Resource temporarily unavailable",
                                                   "Text file busy",
                                                   "Input/output error",
                                                   "Stale file handle",
                                                   "virtual memory exhausted",
                                                   "Killed signal terminated program"};

}  // namespace

std::string machine_failure_in(std::string_view text)
{
    std::size_t first = text.size();
    for (const std::string_view phrase : phrases) first = std::min(first, text.find(phrase));
    if (first >= text.size()) return {};
    const std::size_t before = text.rfind('\n', first), begin = before == std::string_view::npos ? 0 : before + 1;
    constexpr std::size_t enough = 200;
    return std::string(text.substr(begin, std::min(text.find('\n', first), text.size()) - begin).substr(0, enough));
}

}  // namespace launchbox
