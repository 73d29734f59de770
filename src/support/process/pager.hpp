// A pager for output longer than the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// Shows the text in a pager: $LAUNCHBOX_PAGER, $PAGER or less, whichever is set first, with `less` as git starts it
/// (LESS=FRX unless that is set). False, and nothing was shown, if standard output is not a terminal or a dumb one, if
/// the text fits on it, if the variable is empty or "cat", or if the pager cannot be started.
bool show_in_pager(const std::string& text);

}  // namespace launchbox
