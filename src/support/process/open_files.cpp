// SPDX-License-Identifier: Apache-2.0
#include "support/process/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "support/error.hpp"

namespace launchbox {

namespace {

// A shell allows 1,024. nvcc with its host compiler and linker failed with 14 and ran with 16 (CUDA 13.0, Debian 12);
// we also need pipes to workers, a store, and descriptors inherited from a parent.
constexpr rlim_t fewest = 64, enough = 1024;

}  // namespace

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
