// What a machine lacks for a moment, as opposed to what is wrong with a program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The first line that says that the machine was short of disk, memory, processes or descriptors, as the system's
/// messages have it ("No space left on device"); empty: none does. It says nothing of whoever met it: the same may
/// succeed when it is tried again.
std::string machine_failure_in(std::string_view text);

}  // namespace launchbox
