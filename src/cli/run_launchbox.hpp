// The command line of launchbox, for the programs that have one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox::cli {

struct tune_elsewhere;

/// What `main` returns. `elsewhere`: how `tune` works with other processes; null: on this machine alone. `quiet`:
/// nothing is said of what is wrong, since another process says the same.
int run_launchbox(int count, char** arguments, const tune_elsewhere* elsewhere = nullptr, bool quiet = false);

}  // namespace launchbox::cli
