// Temporary files and folders that others can tell are in use, and what killed processes have left of theirs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace launchbox {

/// How their names begin.
inline constexpr std::string_view temporary_name = "launchbox-run-";

/// A new file or folder, launchbox-run-BOOT-HOST-PROCESS-XXXXXX, locked (flock) for as long as the descriptor is open:
/// the lock ends with its owner, however that ends, and is seen from every container of the machine.
struct own_temporary {
    std::filesystem::path path;
    int descriptor = -1;  ///< of a file, also for writing; the caller closes it
};

/// Both first remove leftovers without an owner from `folder`, once per process: those of this boot of the machine if
/// they are not locked. Those of another machine, or where locks do not work (NFS does not lock folders, and may keep
/// locks to one host), only if they have not changed for 30 days. `descriptor` is -1 and errno set if none can be made.
own_temporary new_own_file(const std::filesystem::path& folder);
own_temporary new_own_folder(const std::filesystem::path& folder);

/// Whether the file is a temporary one of this process, or in a temporary folder of it.
bool is_own_temporary(const std::filesystem::path& file);

}  // namespace launchbox
