// How many files this process may have open at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// Raises the limit of open files (`ulimit -n`) where it is low and may be raised. Throws `error` where so few are
/// allowed that files, pipes and the libraries of compilers would fail to open one after the other, each with words of
/// its own.
void need_open_files();

}  // namespace launchbox
