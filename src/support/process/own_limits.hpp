// Shell limits (ulimit) that would silently end this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// Call first in main. Afterwards, a file that exceeds ulimit -f is a failed write, which is reported, instead of a
/// signal that ends the process; programs that we start get the signal as usual. Threads get stacks of at least 1 MiB,
/// whatever ulimit -s says.
void outlive_own_limits();

/// Raises the limit of open files (`ulimit -n`) if it is low and may be raised. Throws `error` if it is so low that
/// files, pipes and libraries of compilers would fail to open one after the other, each with a different message.
void need_open_files();

}  // namespace launchbox
