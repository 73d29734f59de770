// The real target when a path is written to, and the properties that a new file inherits from the one it replaces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace launchbox {

struct output_target {
    std::filesystem::path path;  ///< after following all links; may not exist yet
    int descriptor = -1;         ///< of this process, if the path leads to one: /dev/stdout, /dev/fd/3; else -1
};

/// Follows links, even to files that do not exist. Throws `error` if they form a cycle.
output_target target_of(const std::filesystem::path& wanted);

/// Gives a new open file the owner, group and permissions of another, as far as the user may. If the group cannot be
/// set, the group gets no more rights than everybody. Returns the error number; 0 if done.
int take_over(int file, const struct stat& like);

/// The same for the access control list of the file at `from`, without which its group permissions would grant more.
void take_over_access_list(int file, const std::filesystem::path& from);

}  // namespace launchbox
