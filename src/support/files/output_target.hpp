// What writing to a path really writes to, and what a new file takes over from the one that it replaces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace launchbox {

struct output_target {
    std::filesystem::path path;  ///< after following all links; may not exist yet
    int descriptor = -1;         ///< of this process, where the path leads to it: /dev/stdout, /dev/fd/3; else -1
};

/// Follows links, also to files that do not exist. Throws `error` if they form a circle.
output_target target_of(const std::filesystem::path& wanted);

/// Gives an open new file the owner, group and permissions of another one, as far as the user may. Where the group
/// cannot be given, it gets no more than everybody has. The number of the error; 0: done.
int take_over(int file, const struct stat& like);

/// Likewise the access control list of the file at `from`, without which the permissions of its group mean more.
void take_over_access_list(int file, const std::filesystem::path& from);

}  // namespace launchbox
