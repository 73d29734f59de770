// Ensures that programs started by us do not outlive us, even if we are killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// NAME=value. In the environment of a program, and of its descendants, it marks them as started by us. It may be
/// extended: NAME=value.more.
std::string mark_of_what_we_started();

/// Starts a small process that waits for our end. If we are killed, it kills everything with the mark, including
/// daemons; if we exit, it just ends. One per process; none before Linux 5.3.
void watch_for_orphans();

}  // namespace launchbox
