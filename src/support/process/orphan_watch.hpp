// What our programs have started does not outlive us, even if we are killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// NAME=value. In the environment of a program, and so of all that it starts, it says that we have started it. Others
/// may follow: NAME=value.more.
std::string mark_of_what_we_started();

/// Starts a small process that waits for our end. If we are killed, it kills everything with the mark, including
/// daemons; if we exit, it just ends. There is one for each process; before Linux 5.3 there is none.
void watch_for_orphans();

}  // namespace launchbox
