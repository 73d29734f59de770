// Limits of the shell (ulimit) that would end this process without a word.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// Call it first in main. A file that exceeds ulimit -f then is a failed write, which is reported, and not a signal
/// that ends the process; programs that we start get the signal as usual. Threads have stacks of at least 1 MiB,
/// whatever ulimit -s says.
void outlive_own_limits();

}  // namespace launchbox
