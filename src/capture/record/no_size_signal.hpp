// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace launchbox::record {

/// While this exists, exceeding the file size limit (ulimit -f) is only an error of the call, and does not send a
/// signal that ends the program.
class no_size_signal {
public:
    no_size_signal()
    {
        ::sigemptyset(&signal_);
        ::sigaddset(&signal_, SIGXFSZ);
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~no_size_signal()
    {
        constexpr timespec at_once{};
        if (::sigismember(&before_, SIGXFSZ) == 0) ::sigtimedwait(&signal_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    no_size_signal(const no_size_signal&) = delete;
    no_size_signal& operator=(const no_size_signal&) = delete;

private:
    sigset_t signal_{}, before_{};
};

}  // namespace launchbox::record
