// Ctrl-C: long work stops at the next suitable place and keeps finished results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// From now on SIGINT, SIGTERM and SIGHUP only set a flag; a second one ends the process at once.
void catch_interrupts();

/// Whether such a signal has come.
bool interrupted();

}  // namespace launchbox
