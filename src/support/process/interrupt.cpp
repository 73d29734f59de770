// SPDX-License-Identifier: Apache-2.0
#include "support/process/interrupt.hpp"

#include <csignal>

namespace launchbox {

namespace {

volatile std::sig_atomic_t seen = 0;

void note(int number)
{
    seen = 1;
    std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts()
{
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
    // With nohup, SIGHUP is ignored, and must stay so.
    if (std::signal(SIGHUP, note) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

bool interrupted()
{
    return seen != 0;
}

}  // namespace launchbox
