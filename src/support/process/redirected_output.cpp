// SPDX-License-Identifier: Apache-2.0
#include "support/process/redirected_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "support/process/machine_failure.hpp"

namespace launchbox {

redirected_output::redirected_output(int descriptor, const std::filesystem::path& file)
    : descriptor_(descriptor), before_(-1)
{
    std::fflush(nullptr);
    const int into = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (into >= 0) before_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    const bool done = before_ >= 0 && ::dup2(into, descriptor) >= 0;
    const int failure = errno;
    if (into >= 0) ::close(into);
    if (done) return;
    if (before_ >= 0) ::close(before_);
    throw_system_error("cannot write " + file.string(), failure, "give the temporary folder room");
}

redirected_output::~redirected_output()
{
    std::fflush(nullptr);
    ::dup2(before_, descriptor_);
    ::close(before_);
}

}  // namespace launchbox
