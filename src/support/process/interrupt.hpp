// Ctrl-C: long work stops at the next good place and keeps what is finished.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// From now on SIGINT, SIGTERM and SIGHUP only set a flag; a second one ends the process at once.
void catch_interrupts();

/// Whether one has come.
bool interrupted();

}  // namespace launchbox
