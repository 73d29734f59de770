// SPDX-License-Identifier: Apache-2.0
#include "support/process/own_limits.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <string>

#include "support/error.hpp"

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

// A shell allows 1,024. nvcc with its host compiler and linker failed with 14 and ran with 16 (CUDA 13.0, Debian 12);
// we also need pipes to workers, a store, and descriptors inherited from a parent.
constexpr rlim_t fewest = 64, enough = 1024;

}  // namespace

void outlive_own_limits()
{
    // A handler, because an ignored signal would be ignored in all started programs, too.
    struct sigaction before = {};
    if (::sigaction(SIGXFSZ, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) ::signal(SIGXFSZ, [](int) {});
    keep_stacks_large();
}

void need_open_files()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    if (limit.rlim_cur < enough && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = std::min(enough, limit.rlim_max);
        if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) static_cast<void>(::getrlimit(RLIMIT_NOFILE, &limit));
    }
    if (limit.rlim_cur < fewest)
        throw error("only " + std::to_string(limit.rlim_cur) + " files may be open at once here, and launchbox needs " +
                        std::to_string(fewest),
                    "allow more with: ulimit -n " + std::to_string(enough), exit_status::missing);
}

}  // namespace launchbox
