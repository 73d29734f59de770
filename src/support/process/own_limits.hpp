// Shell limits (ulimit) that would silently end this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// Call first in main. Afterwards, a file that exceeds ulimit -f is a failed write, which is reported, instead of a
/// signal that ends the process; programs that we start get the signal as usual. Threads get stacks of at least 1 MiB,
/// whatever ulimit -s says.
void outlive_own_limits();

}  // namespace launchbox
