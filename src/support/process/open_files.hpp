// The limit of open files of this process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// Raises the limit of open files (`ulimit -n`) if it is low and may be raised. Throws `error` if it is so low that
/// files, pipes and libraries of compilers would fail to open one after the other, each with a different message.
void need_open_files();

}  // namespace launchbox
