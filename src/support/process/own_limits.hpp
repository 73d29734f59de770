// Limits of the shell (ulimit) that would end this process without a word.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// Call it first in main. A file that may not become as large (ulimit -f) is then a failed write, which is said, and no
/// signal that ends the process; other programs that are started have the signal as usual. Threads have stacks of
/// 1 MiB or more, whatever ulimit -s says.
void outlive_own_limits();

}  // namespace launchbox
