// SPDX-License-Identifier: Apache-2.0
#include "support/process/own_limits.hpp"

#include <pthread.h>

#include <csignal>
#include <cstddef>

namespace launchbox {

namespace {

// The stack of a thread has the size of ulimit -s; with 64 KiB, threads that parse and compile overflowed theirs.
constexpr std::size_t smallest_stack = std::size_t{1} << 20;

void keep_stacks_large()
{
    pthread_attr_t attributes;
    if (::pthread_getattr_default_np(&attributes) != 0) return;
    std::size_t size = 0;
    if (::pthread_attr_getstacksize(&attributes, &size) == 0 && size < smallest_stack &&
        ::pthread_attr_setstacksize(&attributes, smallest_stack) == 0)
        ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
}

}  // namespace

void outlive_own_limits()
{
    // A handler, because an ignored signal would be ignored in all started programs, too.
    struct sigaction before = {};
    if (::sigaction(SIGXFSZ, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) ::signal(SIGXFSZ, [](int) {});
    keep_stacks_large();
}

}  // namespace launchbox
